import { harmless, interpreters, versions } from "./interpreters.ts";

/** Given these, a program runs code or commands that its command line does not show. */
interface Opaque {
  /** Long options, abbreviated as GNU allows. */
  readonly long?: string;
  /** Letters of short options. */
  readonly short?: string;
  /** Any argument that matches. */
  readonly words?: RegExp;
  /** False where it takes commands from its input. */
  readonly deaf?: (args: readonly string[]) => boolean;
}

const linker: Opaque = { words: /^--?plugin/ };
const compiler: Opaque = {
  words:
    /^(--?(wrapper|B.*|f(pass-)?plugin.*|specs.*|iplugindir.*|load|config.*)|-Xclang|-Wl,.*plugin.*|@.+)$/,
};
const operands = (args: readonly string[]): number => args.filter((arg) => !arg.startsWith("-")).length;

const risky: Readonly<Record<string, Opaque>> = {
  ...Object.fromEntries(
    ["gcc", "g++", "cc", "c++", "cpp", "c89", "c99", "c89-gcc", "c99-gcc", "clang", "clang++"].map((name) => [
      name,
      compiler,
    ]),
  ),
  ...Object.fromEntries(
    ["ld", "gold", "ar", "nm", "ranlib", "strip", "objdump"].map((name) => [name, linker]),
  ),
  rustc: { words: /linker|codegen-backend/ },
  opt: { words: /^--?load/ },
  llc: { words: /^--?load/ },
  tar: {
    long: "checkpoint-action to-command use-compress-program rsh-command rmt-command info-script new-volume-script",
    short: "IF",
  },
  rsync: { long: "rsh rsync-path daemon", short: "e" },
  scp: { short: "SoF" },
  sftp: { short: "SoFbD" },
  hg: { long: "config", words: /^(serve|debug.*)$/ },
  svn: { long: "config-option editor-cmd diff-cmd" },
  sort: { long: "compress-program" },
  split: { long: "filter" },
  zip: { long: "unzip-command", short: "T" },
  rpm: { long: "eval define pipe install upgrade freshen", words: /^-(E|[iUF][vh]*$)/ },
  cpio: { long: "rsh-command" },
  mt: { long: "rsh-command" },
  man: { short: "PH", long: "pager html" },
  curl: { short: "K", long: "config" },
  wget: { long: "use-askpass config execute", short: "e" },
  nc: { short: "ec" },
  ncat: { short: "ec", long: "exec sh-exec lua-exec" },
  socat: { words: /exec:|system:|shell:/i },
  tcpdump: { short: "z" },
  nmap: { long: "script interactive" },
  sqlite: {
    words: /\.(shell|system|load|read|output|once|excel)|edit\s*\(|load_extension/i,
    short: "i",
    long: "init",
    deaf: (args) => operands(args) > 1,
  },
  psql: {
    words: /\\!|\\o|\\g|program|pager/i,
    short: "f",
    long: "file",
    deaf: (args) => args.some((arg) => /^-\w*[cl]|^--(co|l)/.test(arg)),
  },
  mysql: {
    words: /system|\\!/i,
    long: "pager",
    deaf: (args) => args.some((arg) => /^-\w*e|^--exe/.test(arg)),
  },
  jq: { short: "L", words: /^(-f|--from-file)/ },
  dc: { words: /!/ },
  ip: { words: /^(exec|netns|vrf|-b(a(t(c(h)?)?)?)?)$/ },
  openssl: { words: /^(engine|--?(engine|provider).*)$/ },
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
  apt: {
    short: "oc",
    long: "option config-file",
    words: /^((re)?install|(full-|dist-)?upgrade|remove|purge|build-dep)$/,
  },
  "apt-get": {
    short: "oc",
    long: "option config-file",
    words: /^((re)?install|(full-|dist-)?upgrade|remove|purge|build-dep)$/,
  },
  fd: { short: "xX", long: "exec exec-batch" },
  fdfind: { short: "xX", long: "exec exec-batch" },
  bfs: { words: /^-(exec|ok)/ },
  rg: { long: "pre hostname-bin" },
  ag: { long: "pager" },
  ack: { long: "pager" },
  bat: { long: "pager" },
  delta: { long: "pager" },
  fzf: { long: "preview bind" },
  gpg: { long: "agent-program dirmngr-program photo-viewer exec-path options homedir" },
  "ssh-keygen": { short: "D" },
  "ssh-add": { short: "s" },
  pandoc: { short: "FLd", long: "filter lua-filter pdf-engine defaults" },
  exiftool: { words: /^-(if|config)|[;{]/i },
  tshark: { short: "X" },
  wireshark: { short: "X" },
  gh: { words: /^(alias|extensions?|ext)$/ },
};

/** Why it cannot be told what `name` runs with these arguments, or undefined. */
export function hiddenCode(name: string, args: readonly string[]): string | undefined {
  if (interpreters.has(name))
    return args.length === 1 && (harmless.has(args[0] ?? "") || versions.has(`${name} ${args[0]}`))
      ? undefined
      : `${name} can run code that this guard does not read`;
  const risk = Object.hasOwn(risky, name) ? risky[name] : undefined;
  // tar takes its first letters without a dash.
  const list =
    name === "tar" && args[0] !== undefined ? [args[0].replace(/^(?=\w)/, "-"), ...args.slice(1)] : args;
  const found = risk && list.find((arg) => isRisky(arg, risk));
  if (found === undefined && risk?.deaf?.(args) === false && !args.some((arg) => harmless.has(arg)))
    return `${name} obeys whatever comes in on its input`;
  return found === undefined ? undefined : `${name} can start other programs by \`${found}\``;
}

function isRisky(arg: string, risk: Opaque): boolean {
  if (risk.words?.test(arg)) return true;
  if (arg.startsWith("--")) {
    const [name = ""] = arg.slice(2).split("=");
    return name !== "" && (risk.long?.split(" ").some((long) => long.startsWith(name)) ?? false);
  }
  return (
    risk.short !== undefined &&
    /^-[A-Za-z]/.test(arg) &&
    [...risk.short].some((letter) => arg.includes(letter))
  );
}
