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
const patternOptions = new Set([
  "-e",
  "--regexp",
  "--expression",
  "-m",
  "--message",
  "--grep",
  "-name",
  "-iname",
  "-path",
  "-ipath",
  "-wholename",
  "-regex",
  "-iregex",
  "-printf",
  "--exclude",
  "--include",
  "--exclude-dir",
  "-H",
  "--header",
  "-A",
  "--user-agent",
]);

/** The kernel takes no longer path (PATH_MAX), whose signs may be written with up to five each. */
const LONGEST = 4_096 * 5;

/** The words of one command that can name a file. */
export function fileWords(command: readonly ShellWord[]): ShellWord[] {
  const [head, ...args] = command;
  const program = (head?.text ?? "").replace(/^.*\//s, "").toLowerCase();
  if (talkers.has(program)) return [];
  const own = args.some((arg) => /^(-[a-zA-Z]*[ef]|--(regexp|expression|file|from-file))/.test(arg.text));
  let pattern = patternFirst.has(program) && !own;
  const found: ShellWord[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as ShellWord;
    if (patternOptions.has(arg.text)) at++;
    else if (/^--[a-z-]+=/.test(arg.text) && patternOptions.has(arg.text.replace(/=.*$/s, ""))) continue;
    else if (splitters.has(program) && /^-[a-zA-Z]\/$/.test(arg.text)) continue;
    else if (pattern && !arg.text.startsWith("-")) pattern = false;
    else found.push(...parts(arg));
  }
  return found;
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
