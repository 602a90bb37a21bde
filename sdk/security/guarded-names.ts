/** By version control, before or after its own work. */
const byRepositories =
  ".git/hooks .git/config* .git/commondir .git/gitdir .git/info/attributes " +
  ".git/objects/info/alternates .gitconfig .tigrc .hgrc .hg/hgrc* .jj/repo/config.toml " +
  ".jj/repo/workspace-config.toml .sl/config .subversion .fossil-settings _darcs/prefs " +
  ".pijul/config .husky .git*hooks .pre-commit-config.* *lefthook* .overcommit.yml " +
  "*simple-git-hooks.* .lintstagedrc*";

/** By editors, when a folder is opened. */
const byEditors =
  ".vscode .vs .idea .fleet .zed .theia .helix .kak .devcontainer* *.code-workspace " +
  "*.sublime-project *.sublime-workspace .externalToolBuilders .gitpod* .replit .idx " +
  "*devfile.yaml .vim* _vimrc .gvimrc .exrc .nvim* .lvimrc .local.vimrc .lazy.lua " +
  ".ycm_extra_conf.py .neoconf.json .emacs* .dir-locals* .luarc* hie.yaml .bsp .bloop .metals";

/**
 * By shells, debuggers, interpreters and small tools, when they start in a folder or for a user.
 */
const byTools =
  ".envrc* .direnv .autoenv* .bash* .profile .inputrc .zsh* .zprofile .zlogin .zlogout " +
  ".oh-my-zsh .p10k.zsh .cshrc .tcshrc .login .logout .kshrc .shrc .shinit .tmux* .screenrc " +
  ".wezterm.lua .gdbinit .lldbinit .pdbrc* .pythonrc* .pystartup .ipython .jupyter " +
  "sitecustomize.py usercustomize.py .Rprofile .Renviron .RData .irbrc .pryrc .rdebugrc " +
  ".byebugrc .rvmrc .gemrc .rspec .ghci .ocamlinit .octaverc .erlang .iex.exs .lein .clojure " +
  ".guile .tclshrc .perldb .user.ini .julia/config .npmrc .yarnrc* .yarn/plugins " +
  ".yarn/releases .pnpmfile.* .corepack.env *bunfig.toml .cargo/config* rust-toolchain* .mise* " +
  "mise.* .tool-versions .nix-defexpr .mvn .m2 .gradle/init.d .gradle/gradle.properties " +
  ".sdkmanrc .bazelrc tools/bazel .buckconfig* .condarc .pip .pydistutils.cfg " +
  "CMakeUserPresets.json *compose.override.* .wget* .curlrc .psqlrc .sqliterc .ackrc .less* " +
  ".rpmmacros .mailcap .muttrc .mutt .mailrc";

/** By a login, a session, the system or programs of everyday use, for whoever's home it is. */
const byLogins =
  ".i3 .xmonad .xinitrc .xprofile .xsession* .xserverrc .Xresources .Xdefaults " +
  ".pam_environment .local Library/LaunchAgents .forward .procmailrc .qmail* .rhosts .k5login " +
  ".config/git .config/hg .config/jj .config/fish .config/nvim .config/emacs .config/helix " +
  ".config/zed .config/tmux .config/mise .config/nix .config/bat .config/lesskey " +
  ".config/curlrc .config/pip .config/autostart* .config/plasma-workspace .config/systemd " +
  ".config/environment.d .config/i3 .config/sway .config/hypr .config/xfce4 .config/powershell " +
  ".config/nushell .config/kitty";

/** By agents, as orders or as tools. */
const byAgents =
  "AGENTS.md AGENTS.override.md AGENT.md CLAUDE.md CLAUDE.local.md GEMINI.md QWEN.md CRUSH.md " +
  "WARP.md CODEX.md COPILOT.md JUNIE.md KIRO.md OPENCODE.md .agents .agent .claude* .codex " +
  ".cursor* *mcp.json .gemini .qwen .windsurf* .cline* .kiro .roo* .kilocode* .trae .amazonq " +
  ".continue* .opencode* opencode.json* .goose* .junie .augment* .factory *crush.json .amp " +
  ".rules .aider* .github/copilot-instructions.md .github/instructions .github/prompts " +
  ".github/agents .github/chatmodes .github/hooks .github/copilot .openhands* .devin .warp " +
  ".crush .mcp";

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
