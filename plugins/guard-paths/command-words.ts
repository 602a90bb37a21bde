import type { ShellWord } from "@gantry/sdk";

// Their arguments are text, not files.
const talkers = new Set([
  "echo",
  "printf",
  "true",
  "false",
  ":",
  "tr",
  "expr",
  "seq",
  "export",
  "declare",
  "local",
  "typeset",
  "readonly",
  "set",
  "alias",
  "type",
  "which",
  "man",
  "help",
  "basename",
  "dirname",
]);
// Whatever these are given, they open no file of that name.
const harmless = new Set(
  [...talkers]
    .filter((name) => name !== "man")
    .concat("[ test break continue exit kill let local read return shift sleep trap unset wait".split(" ")),
);
// Their options take a sign that parts fields.
const splitters = new Set(["cut", "sort", "paste", "join", "column", "xargs", "awk", "gawk", "mawk", "nawk"]);
// Their first operand is a pattern or a program.
const patternFirst = new Set([
  "grep",
  "egrep",
  "fgrep",
  "zgrep",
  "rg",
  "ag",
  "ack",
  "sed",
  "gsed",
  "awk",
  "gawk",
  "mawk",
  "nawk",
  "jq",
  "yq",
]);
const sets = (words: string) => new Set(words.split(" "));
/**
 * Options of some programs whose value is text; to other programs the same letters say something
 * else.
 */
const textOptions: readonly (readonly [programs: ReadonlySet<string>, options: ReadonlySet<string>])[] = [
  [
    sets("grep egrep fgrep zgrep rg ag ack sed gsed"),
    sets("-e --regexp --expression -m -A --exclude --include --exclude-dir"),
  ],
  [sets("git hg svn"), sets("-m --message --grep")],
  [
    sets("awk gawk mawk nawk perl ruby node nodejs deno bun php lua luajit julia rscript"),
    sets("-e --eval --source"),
  ],
  [sets("docker podman nerdctl"), sets("-e --env")],
  [sets("find bfs"), sets("-name -iname -path -ipath -wholename -regex -iregex -printf")],
  [sets("curl wget http https xh"), sets("-H --header -A --user-agent")],
];

/** The kernel takes no longer path (PATH_MAX), whose signs may be written with up to five each. */
const LONGEST = 4_096 * 5;

/** The words of one command that can name a file. */
export function fileWords(command: readonly ShellWord[]): ShellWord[] {
  const [head, ...args] = command;
  const program = programOf(head);
  if (talkers.has(program)) return [];
  const own = args.some((arg) => /^(-[a-zA-Z]*[ef]|--(regexp|expression|file|from-file))/.test(arg.text));
  let pattern = patternFirst.has(program) && !own;
  return args.flatMap((arg, at) => {
    if (isOptionText(program, args, at)) return [];
    if (splitters.has(program) && /^-[a-zA-Z]\/$/.test(arg.text)) return [];
    if (!pattern || arg.text.startsWith("-")) return parts(arg);
    pattern = false;
    return [];
  });
}

/** Those of its words that may name a file, and do so only at run time. */
export function unreadWords(command: readonly ShellWord[]): ShellWord[] {
  const [head, ...args] = command;
  const program = programOf(head);
  if (harmless.has(program)) return [];
  return args.filter((arg, at) => isUnread(arg) && (arg.many !== false || !isOptionText(program, args, at)));
}

/** True for a word whose value is any text that there is at run time. */
export function isUnread({ whole, pattern, butFor }: ShellWord): boolean {
  return !whole && pattern === undefined && butFor === undefined;
}

export function programOf(head: ShellWord | undefined): string {
  return (head?.text ?? "").replace(/^.*\//s, "").toLowerCase();
}

/**
 * True for the text that an option takes, behind it or in the same word; one that begins with `@`
 * names a file.
 */
function isOptionText(program: string, args: readonly ShellWord[], at: number): boolean {
  const options = textOptions.find(([programs]) => programs.has(program))?.[1];
  const [word = "", value] = /^(--[a-z-]+)=(.*)$/s.exec(args[at]?.text ?? "")?.slice(1) ?? [];
  const option = value === undefined ? args[at - 1]?.text : word;
  return options?.has(option ?? "") === true && !(value ?? args[at]?.text ?? "").startsWith("@");
}

/** `--x=/y`, `-I/y`, `a=/y`, `@/y`, `file:///y` and `/x:/y` hold a path inside. */
function parts(word: ShellWord): ShellWord[] {
  const { text, whole } = word;
  const [, scheme, address = ""] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(text) ?? [];
  if (scheme !== undefined)
    return scheme.toLowerCase() === "file" ? [{ text: address.replace(/^[^/]*/, ""), whole }] : [];
  const inner = [
    ...(/^-[a-zA-Z](?=[/~.])/.test(text) ? [text.slice(2)] : []),
    ...[...text.matchAll(/=|[@:,](?=[/~]|\.\.?\/|\.\.$)/g)]
      .filter(({ index }) => text.length - index <= LONGEST)
      .map(({ index }) => text.slice(index + 1)),
  ].map((part) => part.replace(/(?<=.):.*$/s, ""));
  return [...(text.startsWith("-") ? [] : [word]), ...inner.map((part) => ({ text: part, whole }))];
}
