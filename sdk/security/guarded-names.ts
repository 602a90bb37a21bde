/** By version control, before or after its own work. */
const byRepositories =
  ".git/hooks .git/config .git/config.worktree .git/commondir .git/gitdir .git/info/attributes " +
  ".git/objects/info/alternates .gitconfig .config/git .config/jj .config/hg .config/tig .tigrc .hgrc " +
  ".hg/hgrc .hg/hgrc-not-shared .jj/repo/config.toml .jj/repo/workspace-config.toml .sl/config .subversion " +
  ".fossil-settings _darcs/prefs .pijul/config .config/lazygit .husky .githooks .git-hooks " +
  ".pre-commit-config.yaml .pre-commit-config.yml lefthook.yml lefthook.yaml lefthook.toml lefthook.json " +
  ".lefthook.* lefthook-local.* .lefthook-local.* .lefthook .lefthook-local .overcommit.yml " +
  ".simple-git-hooks.* simple-git-hooks.* .lintstagedrc .lintstagedrc.* captainhook.json .rusty-hook.toml";

/** By editors, when a folder is opened. */
const byEditors =
  ".vscode .vs .idea .fleet .zed .theia .nova .lapce .helix .kak .devcontainer .devcontainer.json " +
  "*.code-workspace *.sublime-project *.sublime-workspace .externalToolBuilders .gitpod.yml .gitpod.yaml " +
  ".replit .idx devfile.yaml .devfile.yaml .vim .vimrc _vimrc .gvimrc .exrc .nvim .nvimrc .nvim.lua " +
  ".lvimrc .local.vimrc .vimrc.local .lazy.lua .ycm_extra_conf.py .vimspector.json .neoconf.json .emacs " +
  ".emacs.el .emacs.d .dir-locals.el .dir-locals-2.el .config/nvim .config/vim .config/emacs .config/helix " +
  ".config/zed .config/kak .config/micro .luarc.json .luarc.jsonc .luacheckrc .ropeproject .ccls hie.yaml " +
  "omnisharp.json .bsp .bloop .metals .solargraph.yml .phpactor.json .phpactor.yml";

/** By shells, debuggers, interpreters and small tools, when they start in a folder or for a user. */
const byTools =
  ".envrc .envrc.* .direnv .autoenv .autoenv.zsh .bashrc .bash_profile .bash_login .bash_logout .bash_aliases " +
  ".bash_completion .profile .inputrc .zshrc .zshenv .zprofile .zlogin .zlogout .zsh .zimrc .zpreztorc " +
  ".oh-my-zsh .p10k.zsh .cshrc .tcshrc .login .logout .kshrc .mkshrc .yashrc .shrc .shinit .xonshrc .elvish " +
  ".config/bash .config/zsh .config/fish .config/xonsh .config/nushell .config/elvish .config/powershell " +
  ".config/starship.toml .tmux.conf .tmux .tmuxinator .tmuxinator.yml .tmuxp .tmuxp.* .byobu .screenrc " +
  ".config/tmux .config/zellij .wezterm.lua .config/wezterm .config/kitty .config/ghostty .config/alacritty " +
  ".gdbinit .lldbinit .pdbrc .pdbrc.* .pythonrc .pythonrc.py .pystartup .ipython .jupyter sitecustomize.py " +
  "usercustomize.py .Rprofile .Renviron .RData .irbrc .pryrc .rdebugrc .byebugrc .rvmrc .gemrc " +
  ".rspec .ghci .ocamlinit .octaverc .erlang .iex.exs .lein .clojure .sbclrc .clisprc .eclrc .guile " +
  ".racketrc .tclshrc .wishrc .perldb .proverc .user.ini .julia/config .config/go .npmrc .yarnrc .yarnrc.yml " +
  ".yarn/plugins .yarn/releases .pnpmfile.cjs .pnpmfile.mjs .corepack.env bunfig.toml .bunfig.toml " +
  ".cargo/config .cargo/config.toml rust-toolchain rust-toolchain.toml .mise .mise.* mise.toml mise.*.toml " +
  ".config/mise .tool-versions .config/nix .config/nixpkgs .nix-defexpr .mvn .m2 .gradle/init.d " +
  ".gradle/gradle.properties .sdkmanrc .sbtopts .jvmopts .bazelrc .bazeliskrc tools/bazel .buckconfig " +
  ".buckconfig.local .condarc .mambarc .pip .config/pip .pydistutils.cfg CMakeUserPresets.json " +
  "docker-compose.override.yml docker-compose.override.yaml compose.override.yml compose.override.yaml " +
  ".config/containers .wgetrc .wget2rc .curlrc .config/curlrc .psqlrc .sqliterc .ackrc .less .lesskey " +
  ".lessfilter .config/lesskey .config/less .config/bat .rpmmacros .mailcap .muttrc .mutt .neomuttrc " +
  ".config/mutt .config/neomutt .mailrc .config/mpv .config/ranger .config/lf .config/yazi .config/vifm .vifm";

/** By a login, a session or the system, for whoever's home it is. */
const byLogins =
  ".config/autostart .config/autostart-scripts .config/plasma-workspace .config/systemd .config/environment.d " +
  ".config/user-tmpfiles.d .config/openbox .config/i3 .i3 .config/sway .config/hypr .config/awesome " +
  ".config/bspwm .config/sxhkd .config/xmonad .xmonad .config/qtile .config/river .config/labwc .config/niri " +
  ".config/herbstluftwm .config/lxsession .config/xfce4 .fluxbox .fvwm .xinitrc .xprofile .xsession " +
  ".xsessionrc .xserverrc .Xresources .Xdefaults .pam_environment .local/bin .local/lib " +
  ".local/share/applications .local/share/dbus-1 .local/share/systemd .local/share/bash-completion " +
  ".local/share/fish .local/share/gnome-shell .local/share/plasma .local/share/kio .local/share/nautilus " +
  "Library/LaunchAgents .hammerspoon .config/karabiner .forward .procmailrc .mailfilter .qmail .qmail-* " +
  ".maildrop .fetchmailrc .rhosts .shosts .k5login .k5users";

/** By agents, as orders or as tools. */
const byAgents =
  "AGENTS.md AGENTS.override.md AGENT.md CLAUDE.md CLAUDE.local.md GEMINI.md QWEN.md CRUSH.md WARP.md " +
  "IFLOW.md CODEX.md COPILOT.md JUNIE.md KIRO.md OPENCODE.md .agents .agent .claude .claude.json .codex .cursor " +
  ".cursorrules .mcp.json .mcp mcp.json .gemini .qwen .iflow .windsurf .windsurfrules .clinerules " +
  ".clinerules-* .cline .kiro .roo .roorules .roorules-* .roomodes .kilocode .kilocodemodes .trae .amazonq " +
  ".continue .continuerc.json .continuerules .opencode opencode.json opencode.jsonc .goose .goosehints .junie " +
  ".augment .augment-guidelines .factory .crush .crush.json crush.json .amp .rules .aider.conf.yml " +
  ".aider.conf.yaml .aider.model.settings.yml .github/copilot-instructions.md .github/instructions " +
  ".github/prompts .github/agents .github/chatmodes .github/hooks .github/copilot .openhands " +
  ".openhands_instructions .aiassistant .devin .warp .sourcegraph .cody";

/**
 * Files and folders by which programs start others by themselves, and what agents are told: the
 * default of `security.guarded_files`.
 */
export const guardedNames: readonly string[] = [
  byRepositories,
  byEditors,
  byTools,
  byLogins,
  byAgents,
].flatMap((names) => names.split(" "));
