/** Files and folders by which programs start others, and what an agent is told: the default of `security.guarded_files`. */
export const guardedNames: readonly string[] = (
  ".git/hooks .git/config .git/config.worktree .git/commondir .git/gitdir .git/info/attributes " +
  ".git/objects/info/alternates .vscode .idea .zed .vimrc _vimrc .gvimrc .exrc .nvimrc .nvim.lua " +
  ".dir-locals.el .dir-locals-2.el .gdbinit .lldbinit .claude .codex .cursor .mcp.json .gemini " +
  ".windsurf .husky *.code-workspace .envrc .bashrc .bash_profile .bash_login .bash_logout " +
  ".bash_aliases .profile .inputrc .zshrc .zshenv .zprofile .zlogin .zlogout .cshrc .tcshrc .login " +
  ".kshrc .config/fish .gitconfig .wgetrc .wget2rc .psqlrc .sqliterc .ackrc .less .lesskey .lessfilter " +
  ".rpmmacros .subversion .config/git .config/hg .config/bat .config/lesskey .config/nvim .config/mise " +
  ".hgrc .hg/hgrc .jj/repo/config.toml .sl/config .vim .lvimrc .ycm_extra_conf.py .lazy.lua .tmux.conf " +
  ".screenrc .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .cargo/config .cargo/config.toml .mise.toml " +
  "mise.toml .tool-versions .direnv .mvn .pdbrc sitecustomize.py usercustomize.py .Rprofile .irbrc " +
  ".pryrc .rspec .ghci .ocamlinit .octaverc .devcontainer .kiro .roo .trae .amazonq .continue " +
  "opencode.json AGENTS.md"
).split(" ");
