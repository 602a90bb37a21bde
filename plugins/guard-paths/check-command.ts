import path from "node:path";
import type { Refusal, ShellReading, ShellWord } from "@gantry/sdk";
import { isInside } from "@gantry/sdk/node";
import { outside, printable, sensitive } from "./check-path.ts";
import { fileWords, isUnread, programOf, unreadWords } from "./command-words.ts";
import { expand, isOpen, type Roots } from "./roots.ts";
import { Effort } from "./effort.ts";
import { Patterns } from "./patterns.ts";
import { isRepository } from "./sensitive.ts";
import { spellings } from "./spellings.ts";

const devices = /^\/dev\/(null|zero|full|random|urandom|tty|stdin|stdout|stderr|fd(\/\d*)?)$/;

// Programs that only read their arguments; any other program may write to the files that git obeys.
const readers = new Set(
  "cat ls head tail less more grep egrep fgrep rg wc diff cmp stat file find cd pushd test [ git md5sum sha256sum du tree sort readlink realpath bat".split(
    " ",
  ),
);
// git reads what it is shown here, and writes into its own folder alone.
const gitReads = new Set("add blame commit diff grep log ls-files show status".split(" "));
// By such an option one of them writes a file after all.
const written: ReadonlyMap<string, RegExp> = new Map([
  ["find", /^-f(?:print|ls)/],
  ["git", /^(?:-o|--output)/],
  ["less", /^(?:-[^-]*[oO]|--log)/i],
  ["sort", /^(?:-[^-]*o|--o)/],
  ["tree", /^-o/],
]);
const movers = new Set(["cp", "mv", "ln", "install", "rsync", "tee"]);

/** The standards by which the words of one command line are judged. */
interface Judging {
  readonly roots: Roots;
  /** True if the kernel holds whatever a pattern turns out to stand for. */
  readonly walled: boolean;
  readonly effort: Effort;
  readonly patterns: Patterns;
}

/**
 * The guard's no on the paths that stand in a command. What is known only at run time is left to
 * the walls, see `unreadIn` where there are none. Throws PATH_TOO_MUCH.
 */
export async function checkCommand(
  reading: ShellReading,
  workspace: string,
  roots: Roots,
  walled: boolean,
): Promise<Refusal | undefined> {
  const effort = new Effort();
  const judging: Judging = { roots, walled, effort, patterns: new Patterns(effort, !walled) };
  let cwd = workspace;
  const folders = new Set([workspace]);
  for (const command of reading.commands) {
    const no = await checkOne(command, cwd, judging);
    if (no) return no;
    cwd = folderAfter(command, cwd);
    folders.add(cwd);
  }
  for (const file of reading.files) {
    const no = (await checkWord(file, cwd, judging)) ?? (await checkTarget(file, folders, judging));
    if (no) return no;
  }
  return undefined;
}

/**
 * Returns the files that a command names only at run time, the first of them in a phrase; undefined
 * if there are none.
 */
export function unreadIn({ commands, files }: ShellReading): string | undefined {
  // It changes what patterns stand for.
  const hasOptions = commands.some(([head]) => programOf(head) === "shopt");
  const isVague = ({ pattern }: ShellWord) => hasOptions && pattern !== undefined;
  for (const command of commands) {
    const [word] = [...unreadWords(command), ...command.filter(isVague), ...vagueFolders(command)];
    if (word) return `an argument of \`${programOf(command[0])}\`${begins(word)} is known only at run time`;
  }
  const target = files.find((file) => isUnread(file) || isVague(file));
  return target && `a file that it opens${begins(target)} is known only at run time`;
}

/** A folder that a pattern stands for, in which each relative path of the text may lie. */
function vagueFolders(command: readonly ShellWord[]): readonly ShellWord[] {
  const [head, ...args] = command;
  return movesShell(head) ? args.filter(({ pattern }) => pattern !== undefined) : [];
}

function begins({ text }: ShellWord): string {
  return text === "" ? "" : `, \`${printable(text)}…\`,`;
}

async function checkOne(
  command: readonly ShellWord[],
  cwd: string,
  judging: Judging,
): Promise<Refusal | undefined> {
  const files = fileWords(command);
  for (const word of [...programWords(command), ...files]) {
    const no = await checkWord(word, cwd, judging);
    if (no) return no;
  }
  const [head, first] = command;
  const program = path.basename(head?.text ?? "").toLowerCase();
  const isWriting = command.some(({ text }) => written.get(program)?.test(text));
  const isReading = readers.has(program) || (program === "git" && gitReads.has(first?.text ?? ""));
  if (isReading && !isWriting) return undefined;

  for (const word of files) {
    const inside = await insideOf(word, cwd, judging);
    const isMoved = movers.has(program) && word === files.at(-1) && inside.some(isRepository);
    if (isMoved || inside.some(judging.roots.names.isObeyed)) return sensitive(word.text, "write");
  }
  return undefined;
}

/**
 * The target of a redirection, which may stand in any of the folders that the text goes through.
 */
async function checkTarget(
  file: ShellWord,
  folders: ReadonlySet<string>,
  judging: Judging,
): Promise<Refusal | undefined> {
  const { names } = judging.roots;
  for (const folder of folders) {
    const inside = await insideOf(file, folder, judging);
    if (inside.some((at) => names.isSecret(at))) return sensitive(file.text, "touch");
    if (inside.some((at) => names.isObeyed(at) || isRepository(at))) return sensitive(file.text, "write");
  }
  return undefined;
}

/**
 * The paths that a word may stand for, relative to the workspace: as written, by its pattern, with
 * links followed.
 */
async function insideOf(
  word: ShellWord,
  cwd: string,
  { roots, effort, patterns }: Judging,
): Promise<readonly string[]> {
  const fits = word.pattern === undefined ? [] : await patterns.fitting(word.pattern, cwd);
  const absolute = [word.text, ...fits].map((name) => expand(name, cwd));
  const followed: string[] = [];
  for (const at of absolute) followed.push(await effort.follow(at));
  return [...new Set([...absolute, ...followed])].map((at) => path.relative(roots.workspace, at));
}

/** Returns the shell's folder after a command. */
function folderAfter([head, ...args]: readonly ShellWord[], cwd: string): string {
  if (!movesShell(head)) return cwd;
  return expand(args.find((arg) => !arg.text.startsWith("-"))?.text ?? "", cwd);
}

function movesShell(head: ShellWord | undefined): boolean {
  return head?.text === "cd" || head?.text === "pushd";
}

/** A program by its path is a file too, where it is not the system's. */
function programWords([head]: readonly ShellWord[]): readonly ShellWord[] {
  return head?.text.includes("/") ? [head] : [];
}

async function checkWord(
  word: ShellWord,
  cwd: string,
  { roots, walled, effort, patterns }: Judging,
): Promise<Refusal | undefined> {
  const { text, whole, pattern } = word;
  for (const name of pattern === undefined ? [] : await patterns.fitting(pattern, cwd)) {
    const at = expand(name, cwd);
    if (holdsSecrets(at, roots)) return sensitive(name, "touch");
    if (walled) continue;
    const target = await effort.follow(at);
    if (!isOpen(at, roots.command, roots) || !isOpen(target, roots.command, roots)) return outside(name);
    if (holdsSecrets(target, roots)) return sensitive(name, "touch");
  }
  if (text === "" || devices.test(text)) return undefined;
  // Another person's home.
  if (!whole && /^~[^/]/.test(text)) return outside(text);
  // The folder at the beginning of a word is known, though the word goes on at run time.
  const known = whole || text.startsWith("~") ? text : text.slice(0, text.lastIndexOf("/") + 1);
  if (known === "") return undefined;
  for (const spelling of spellings(known)) {
    // A shell's backslash does not always mean a slash: '\\t' is a tab to many programs. A path
    // that climbs is refused in any spelling.
    if (spelling !== known && known.includes("\\") && !/\.\.\\/.test(known)) continue;
    const at = expand(spelling.replaceAll("\0", ""), cwd);
    const target = await effort.follow(at);
    if (!isOpen(at, roots.command, roots) || !isOpen(target, roots.command, roots)) return outside(text);
    // A bare word such as `credentials` is more often text than a file.
    const named = /[./]|^id_/i.test(spelling) && !/[*?\s]/.test(spelling);
    if ((named && holdsSecrets(at, roots)) || (target !== at && holdsSecrets(target, roots)))
      return sensitive(text, "touch");
  }
  return undefined;
}

function holdsSecrets(at: string, { workspace, names }: Roots): boolean {
  return isInside(at, workspace) && names.isSecret(path.relative(workspace, at));
}
