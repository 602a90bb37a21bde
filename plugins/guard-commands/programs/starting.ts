/**
 * Programs that start others, run code or obey what they read, by their operands or alone, and
 * programs that write a file which an operand names. No rule of `security.allow` with a wildcard
 * covers them. Options need no list: a wildcard covers none of them.
 */
const STARTING: ReadonlySet<string> = new Set(
  [
    // Shells and their words.
    "sh bash dash ash rbash zsh ksh mksh pdksh posh yash fish csh tcsh rc elvish nu pwsh",
    "execlineb rush . source eval exec command builtin alias trap enable export declare typeset",
    "local readonly set shopt bind hash fc jobs complete compgen mapfile readarray coproc let",
    "unset read getopts",
    // They start what stands behind them.
    "env xargs parallel busybox toybox coreutils nohup nice time timeout stdbuf setsid ionice",
    "chrt taskset flock watch script scriptreplay sudo sudoedit doas su runuser pkexec gosu",
    "su-exec machinectl chroot fakechroot unshare nsenter setpriv prlimit setarch linux32 linux64",
    "i386 x86_64 uname26 numactl cpulimit choom chpst fakeroot faketime strace ltrace perf",
    "valgrind heaptrack hyperfine entr inotifywait retry chronic ifne pee start-stop-daemon",
    "daemonize daemon dtach abduco screen tmux zellij byobu xvfb-run dbus-launch rlwrap unbuffer",
    "dbus-run-session systemd-run systemd-inhibit systemd-nspawn systemd-cat",
    "systemd-socket-activate systemctl capsh newgrp sg runcon aa-exec cgexec setuidgid envdir",
    "envuidgid softlimit proxychains torify torsocks tsocks bwrap firejail proot qemu dumb-init",
    "tini catchsegv eatmydata memusage sotruss runsv logsave lckdo mispipe run-parts msgexec",
    "msgfilter luit xterm x-terminal-emulator kitty alacritty konsole gnome-terminal foot openvt",
    "wine at batch crontab agetty getty login sulogin switch_root xdg-open ld.so ld-linux ld-musl",
    "ldd not ip mount umount insmod modprobe sysctl service initctl update-alternatives virsh lxc",
    "lxc-attach incus ctr crictl nomad minikube kind k3s k9s oc runc crun apptainer singularity",
    "distrobox toolbox run-mailcap xe open launchctl defaults xcrun sandbox-exec caffeinate arch",
    "run0 nsjail minijail timelimit",
    // Languages, and programs with one of their own.
    "python pypy ipython perl raku ruby irb node nodejs deno bun tsx ts-node php lua luajit tclsh",
    "wish expect expectk rscript r julia octave ghc runghc ghci ocaml guile racket scheme sbcl",
    "clisp elixir erl escript iex groovy scala kotlin jshell java javac jrunscript jdb osascript",
    "awk gawk mawk nawk sed ed red ex vi vim nvim view rvim gvim gview rview vimdiff kak hx helix",
    "micro nano pico joe mc ne jed emacs editor sensible-editor less more most man info gdb",
    "gdbtui gdbserver gdb-multiarch lldb m4 dc bc gnuplot tex latex pdflatex xelatex lualatex",
    "pdftex luatex context gs ghostscript sqlite3 duckdb psql mysql mariadb mongo mongosh",
    "redis-cli bpftrace stap dtrace lli opt maxima gap gp sage scilab swipl prolog csi gsi chez",
    "janet fennel gforth pike rexx tcc xsltproc openssl py code ranger nnn vifm lf tig lazygit",
    "gunicorn uvicorn flask django-admin rails rackup puma celery jupyter streamlit mlr rename",
    "prename file-rename vidir vipe vd visidata a2ps zless zmore bzless xzless w3m lynx links",
    "elinks soffice libreoffice ncdu patch unshar amm dart flutter original-awk ssed psed",
    "emacsclient bunx zx jbang",
    // Builders, testers and package managers, which run what a project says.
    "make gmake ninja cmake ctest cpack meson scons bazel buck just task rake libtool autoconf",
    "autoreconf automake npm npx pnpm pnpx yarn corepack lerna nx turbo gulp grunt webpack vite",
    "vitest rollup parcel esbuild babel swc jest mocha ava tap cypress playwright nodemon pm2",
    "concurrently eslint prettier stylelint commitlint lint-staged husky next nuxt astro ng",
    "storybook cargo rustc rustup go gradle gradlew mvn mvnd mvnw ant sbt mill lein clojure clj",
    "tox nox pytest coverage mypy pylint flake8 poetry uv uvx pipenv pip pipx hatch pdm bundle",
    "bundler gem composer phpunit mix stack cabal dotnet msbuild swift xcodebuild zig dub nim",
    "nimble crystal shards pre-commit lefthook prove cpan cpanm ptar pdb pydoc ccache sccache",
    "distcc cc1 nix nix-shell nix-env guix flatpak snap brew conda mamba micromamba asdf mise",
    "direnv rbenv pyenv nvm dotenv apt apt-get aptitude dpkg dpkg-reconfigure debconf rpm yum dnf",
    "pacman apk zypper logrotate latexmk pandoc terraform tofu pulumi helm ansible",
    "ansible-playbook vagrant packer docker docker-compose podman nerdctl buildah kubectl",
    "skaffold op doppler aws-vault gh glab hg svn bzr fossil chezmoi puppet chef-client salt fab",
    "invoke doit snakemake nextflow dvc sphinx-build mkdocs jekyll hugo rubocop rspec phpstan",
    "psalm pest golangci-lint gatsby expo electron serverless wrangler cvs darcs jj bats shunit",
    "luarocks opam pyinstaller cookiecutter copier volta fnm nodenv yarnpkg papermill locust",
    "robot behave nose helmfile kustomize terragrunt cdk sam aws gcloud az",
    // They reach other machines, and start programs here or there.
    "ssh slogin rsh autossh mosh ssh-agent ssh-copy-id scp rcp sftp rsync ftp lftp telnet socat",
    "nc ncat mutt mail mailx nmh gpg-agent gpg-connect-agent gpgconf rclone vipw vigr visudo",
    "cscope ctags fzf",
    // Their operands hold options, or name a file to write.
    "tar bsdtar cpio ar 7z 7za dd uniq xxd convert magick ffmpeg ps2pdf pdftotext jar rar unrar",
    "dcfldd dc3dd zip lz4 cpp objcopy install mogrify identify montage compare",
    // Others that start what their operands name.
    "splain gio pg_virtualenv llvm-jitlink bashbug perlbug mvndebug pager sensible-pager c8 nyc",
    "cross-env env-cmd run-s run-p npm-run-all ts-node-dev karma tsdown rolldown knip",
  ].flatMap((line) => line.split(" ")),
);

/**
 * Commands of git whose operands start nothing. Any other may be an alias, or a program of its own.
 */
const GIT_PLAIN: ReadonlySet<string> = new Set(
  (
    "add annotate blame branch cat-file check-ignore cherry commit count-objects describe diff " +
    "diff-files diff-index diff-tree for-each-ref grep log ls-files ls-tree merge-base mv " +
    "name-rev range-diff reflog reset restore rev-list rev-parse rm shortlog show show-branch " +
    "show-ref stash status switch checkout tag whatchanged"
  ).split(" "),
);

/**
 * True for a command that can start another, run code or write a file by no more than its operands.
 */
export function canStart([head = "", first = ""]: readonly string[]): boolean {
  const name = head.slice(head.lastIndexOf("/") + 1).toLowerCase();
  // Also without its version or variant, without the letter of GNU, and without what it is built
  // for: python3.11, gsed, x86_64-linux-gnu-ar.
  const plain = name.replace(/[-.\d].*$/s, "");
  const last = name.slice(name.lastIndexOf("-") + 1);
  if (plain === "git") return name !== "git" || !GIT_PLAIN.has(first);
  const unversioned = name.replace(/-?[\d.]+$/, "");
  return [name, plain, plain.replace(/^g/, ""), unversioned, last].some((one) => STARTING.has(one));
}
