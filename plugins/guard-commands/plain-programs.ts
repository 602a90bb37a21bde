import { shown, SYSTEM_FOLDERS, type Arg } from "./syntax/words.ts";

/**
 * Programs that run without walls, each with the letters of its plain options. None of these starts
 * a program, walks folders, or takes names of files out of a file. No long option is plain.
 */
const PLAIN: ReadonlyMap<string, string> = new Map([
  ...withLetters("basename cd chmod dirname fold pwd realpath return sleep tr", "cdst"),
  ...withLetters("break continue exit expand printf seq shift type uname wait which whoami", ""),
  ...withLetters("cat tac rev nl", "abnsAET"),
  ...withLetters("cmp comm cut paste", "bcdfs"),
  ...withLetters("cp mv", "finpv"),
  ...withLetters("date", "uI"),
  ...withLetters("df", "h"),
  ...withLetters("diff", "bBiquwy"),
  ...withLetters("file stat", "bi"),
  ...withLetters("grep egrep fgrep", "cehilmnoqsvwxABCEFGH"),
  ...withLetters("head tail", "cnqv"),
  ...withLetters("ls", "aAdFghiklnopqrsStuvX"),
  ...withLetters("md5sum sha1sum sha256sum sha512sum", "bt"),
  ...withLetters("mkdir rmdir", "pv"),
  ...withLetters("read", "r"),
  ...withLetters("readlink", "efn"),
  ...withLetters("rm", "fiv"),
  ...withLetters("set", "eux"),
  ...withLetters("sort", "bcdfghikMnrRstuVz"),
  ...withLetters("tee", "a"),
  ...withLetters("test [", "abcdefghiklnopqrstuwxzGLNOS"),
  ...withLetters("touch", "acm"),
  ...withLetters("uniq", "cdfisuwz"),
  ...withLetters("wc", "cLlmw"),
]);
/** Whatever these are given is text to them. */
const TALKERS = new Set(["echo", "true", "false", ":"]);

function withLetters(names: string, letters: string): (readonly [string, string])[] {
  return names.split(" ").map((name) => [name, letters]);
}

/**
 * Returns why a command is more than a plain program with plain options; undefined if it is one.
 */
export function morePlain([head, ...args]: readonly Arg[]): string | undefined {
  if (!head) return undefined;
  const { text, whole, guess } = head;
  if (!whole) return `the command word \`${shown(guess)}\` is known only at run time`;
  const name = SYSTEM_FOLDERS.test(text) ? text.slice(text.lastIndexOf("/") + 1) : text;
  if (TALKERS.has(name)) return undefined;
  const letters = PLAIN.get(name);
  if (letters === undefined) return `\`${shown(text)}\` is not on the list of plain programs`;
  const odd = args.find((arg) => !isPlain(arg, letters));
  if (odd === undefined) return undefined;
  return odd.whole
    ? `\`${shown(text)}\` is given \`${shown(odd.text)}\`, which is not one of its plain options`
    : `an argument of \`${shown(text)}\`, \`${shown(odd.guess)}\`, is known only at run time`;
}

/**
 * True for an operand, and for an option of these letters, each perhaps with a number or a
 * separator.
 */
function isPlain({ text, whole, many, pattern, butFor }: Arg, letters: string): boolean {
  const isRead = whole || butFor !== undefined;
  if (!text.startsWith("-")) {
    // Text that goes on at run time can be an option if it is all unknown, or if bash splits it.
    return isRead || (text !== "" && (pattern !== undefined || !many));
  }
  const signs = Array.from(text.slice(1));
  return isRead && signs.every((sign) => letters.includes(sign) || VALUE.test(sign));
}

const VALUE = /[\d.,:;| ]/;
