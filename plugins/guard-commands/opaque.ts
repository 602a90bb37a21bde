/** Given these, a program runs code or commands that its command line does not show. */
interface Opaque {
  /** Long options, abbreviated as GNU allows. */
  readonly long?: string;
  /** Letters of short options. */
  readonly short?: string;
  /** Any argument that matches. */
  readonly words?: RegExp;
}

const harmless = new Set(["--version", "--help"]);

/** Programs that run code from files, from stdin or from their arguments. */
const interpreters = new Set(
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
    "ifne pee retry dtach abduco zellij byobu gnuplot tex latex pdflatex xelatex lualatex pdftex luatex context gs ghostscript mutt mail mailx nmh expectk dpkg-reconfigure"
  ).split(" "),
);

const risky: Readonly<Record<string, Opaque>> = {
  tar: { long: "checkpoint-action to-command use-compress-program rsh-command rmt-command info-script new-volume-script", short: "IF" },
  rsync: { long: "rsh rsync-path daemon", short: "e" },
  scp: { short: "SoF" },
  sftp: { short: "SoFbD" },
  hg: { long: "config", words: /^(serve|debug.*)$/ },
  svn: { long: "config-option editor-cmd diff-cmd" },
  sort: { long: "compress-program" },
  split: { long: "filter" },
  zip: { long: "unzip-command", short: "T" },
  rpm: { long: "eval define pipe" },
  man: { short: "PH", long: "pager html" },
  curl: { short: "K", long: "config" },
  wget: { long: "use-askpass config execute", short: "e" },
  nc: { short: "ec" },
  ncat: { short: "ec", long: "exec sh-exec lua-exec" },
  socat: { words: /exec:|system:|shell:/i },
  tcpdump: { short: "z" },
  nmap: { long: "script interactive" },
  sqlite: { words: /\.(shell|system|load|read|output|once|excel)|edit\s*\(|load_extension/i, short: "i", long: "init" },
  psql: { words: /\\!|\\o|\\g|program/i, short: "f" },
  mysql: { words: /system|\\!/i },
  jq: { short: "L", words: /^(-f|--from-file)/ },
  dc: { words: /!/ },
  ip: { words: /^(exec|netns|vrf)$/ },
  openssl: { words: /^(engine|-engine|-provider.*)$/ },
  gcc: { words: /^(-wrapper|-B.*|-fplugin.*|-specs.*)$/ },
  "g++": { words: /^(-wrapper|-B.*|-fplugin.*|-specs.*)$/ },
  cc: { words: /^(-wrapper|-B.*|-fplugin.*|-specs.*)$/ },
  compgen: { short: "CFW" },
  complete: { short: "CFW" },
  mapfile: { short: "C" },
  readarray: { short: "C" },
  bind: { short: "x" },
  jobs: { short: "x" },
  enable: { short: "f" },
  hash: { short: "p" },
  set: { words: /^(posix|allexport|keyword|history|histexpand)$/, short: "kH" },
  shopt: {
    words:
      /^(expand_aliases|extglob|compat.*|checkhash|extdebug|lastpipe|localvar_inherit|array_expand_once|assoc_expand_once|posix|allexport|keyword|history|histexpand)$/,
  },
  less: { words: /^\+/ },
  more: { words: /^\+/ },
  install: { long: "strip-program", short: "s" },
  dpkg: { words: /^(-i|--install|--.*)$/ },
  apt: { short: "o" },
  "apt-get": { short: "o" },
};

/** Why it cannot be told what `name` runs with these arguments, or undefined. */
export function hiddenCode(name: string, args: readonly string[]): string | undefined {
  if (interpreters.has(name))
    return args.length === 1 && harmless.has(args[0] ?? "") ? undefined : `${name} runs code that stands elsewhere`;
  const risk = Object.hasOwn(risky, name) ? risky[name] : undefined;
  // tar takes its first letters without a dash.
  const list = name === "tar" && args[0] !== undefined ? [args[0].replace(/^(?=\w)/, "-"), ...args.slice(1)] : args;
  const found = risk && list.find((arg) => isRisky(arg, risk));
  return found === undefined ? undefined : `${name} can start other programs by \`${found}\``;
}

function isRisky(arg: string, risk: Opaque): boolean {
  if (risk.words?.test(arg)) return true;
  if (arg.startsWith("--")) {
    const [name = ""] = arg.slice(2).split("=");
    return name !== "" && (risk.long?.split(" ").some((long) => long.startsWith(name)) ?? false);
  }
  return risk.short !== undefined && /^-[A-Za-z]/.test(arg) && [...risk.short].some((letter) => arg.includes(letter));
}
