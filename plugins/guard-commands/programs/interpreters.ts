/** Alone, these run nothing. */
export const harmless: ReadonlySet<string> = new Set(["--version", "--help"]);
export const versions: ReadonlySet<string> = new Set([
  "node -v",
  "nodejs -v",
  "npm -v",
  "npx -v",
  "php -v",
  "ruby -v",
  "perl -v",
  "python -V",
  "java -version",
  "go version",
]);

/** Programs that run code from files, from stdin or from their arguments. */
export const interpreters: ReadonlySet<string> = new Set(
  (
    "zsh ksh mksh pdksh fish csh tcsh rc elvish nu pwsh python pypy ipython perl raku ruby irb node nodejs deno bun tsx php lua luajit tclsh wish expect " +
    "rscript r julia octave ghc runghc ocaml guile racket scheme sbcl clisp emacs elixir erl escript iex groovy scala kotlin jshell java osascript " +
    "vi vim nvim view ex ed red gdb lldb m4 at batch crontab source . fc screen tmux script scriptreplay ssh autossh docker podman nerdctl kubectl systemd-run " +
    "runuser su pkexec machinectl bwrap firejail proot qemu-user gmake make ninja cmake just task rake npm npx pnpm pnpx yarn corepack cargo go gradle mvn ant tox nox pytest " +
    "bazel meson scons poetry uv uvx pipenv pip pipx hatch bundle gem composer mix stack cabal dotnet swift zig run-parts entr inotifywait start-stop-daemon logrotate " +
    "ld.so ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld-linux.so.2 ld-musl-x86_64.so.1 valgrind perf gdbserver " +
    "unshare nsenter chroot prlimit setpriv setarch linux32 linux64 numactl cpulimit fakeroot fakechroot faketime strace ltrace unbuffer rlwrap tini gosu dbus-run-session " +
    "i386 x86_64 uname26 coreutils capsh newgrp sg runcon aa-exec cgexec choom uclampset chpst setuidgid envdir envuidgid softlimit daemonize daemon torify torsocks proxychains " +
    "xvfb-run ccache sccache distcc nix nix-shell nix-env guix flatpak snap conda mamba micromamba asdf mise direnv rbenv pyenv nvm dotenv op doppler aws-vault hyperfine chronic " +
    "ifne pee retry dtach abduco zellij byobu gnuplot tex latex pdflatex xelatex lualatex pdftex luatex context gs ghostscript mutt mail mailx nmh expectk dpkg-reconfigure " +
    "posh yash execlineb rvim rview gvim gview vimdiff nvim-qt editor sensible-editor gdbtui jdb jrunscript mvndebug sbt prove cpan ptar pdb pydoc lli bugpoint not ftp lftp " +
    "eatmydata catchsegv memusage sotruss heaptrack gprofng gp-collect-app tsocks su-exec dumb-init s6-setuidgid runsv logsave lckdo mispipe msgexec msgfilter rush wine " +
    "systemd-inhibit systemd-nspawn systemd-cat systemd-socket-activate systemd-mount dbus-launch xterm x-terminal-emulator kitty alacritty konsole gnome-terminal foot openvt " +
    "agetty getty login sulogin switch_root sudoedit visudo vipw vigr slogin rsh ssh-copy-id ssh-argv0 gpg-connect-agent gpgconf pg_virtualenv debconf debconf-apt-progress " +
    "libtool autoconf autoreconf automake ctest cpack latexmk terraform tofu pulumi helm ansible ansible-playbook vagrant gpg-agent luit kpt tcc qemu-x86_64 qemu-aarch64 xdg-open yum dnf pacman apk zypper"
  ).split(" "),
);
