import type { Assignment, Word, WordPart } from "unbash";

/** A word as far as the text tells it. */
export interface Arg {
  /** The word, or only its beginning if `whole` is false. */
  readonly text: string;
  readonly whole: boolean;
  /** May become several words, or none. */
  readonly many: boolean;
  /** The whole word, if only patterns keep it from being known. */
  readonly pattern?: string;
  /** The only thing that keeps the word from being known. */
  readonly butFor?: "number" | "home";
  /** The whole word with a harmless name in place of what is known only at run time. */
  readonly guess: string;
}

export const UNKNOWN = "gantry_unknown";

/** A program of the system by its whole path. */
export const SYSTEM_FOLDERS: RegExp = /^\/(usr\/(local\/)?)?s?bin\/[^/]+$/;

const NUMBER = /^\$(?:[?#$!]|\{[?#$!]\}|\{#\w+(?:\[[@*]\])?\})$/;
/**
 * The characters that may surround a number in a word that is just a number, or an option with one.
 */
const AROUND_NUMBER = /^(?:--[a-z-]+=|-[a-zA-Z])?[-+,:\d]*$/;

/** A word in which nothing is quoted or expanded. */
export const PLAIN_WORD: RegExp = /^[\w./:=,%+-]+$/;

export function known(text: string): Arg {
  return { text, whole: true, many: false, guess: text };
}

/** A word that begins with `text` and ends in something unknown. */
export function begun(text: string, guess: string): Arg {
  return { text, whole: false, many: false, guess };
}

/** Words put together with spaces, as eval does. */
export function joined(args: readonly Arg[]): Arg {
  const text = args.map((arg) => arg.guess).join(" ");
  return args.every((arg) => arg.whole) ? known(text) : begun("", text);
}

export function argOf(word: Word): Arg {
  if (PLAIN_WORD.test(word.text)) return known(word.text);
  const tilde = word.text.startsWith("~");
  if (!word.parts) return tilde ? { ...begun(word.value, word.value), butFor: "home" } : known(word.value);
  let text = "";
  let guess = "";
  let whole = true;
  let many = false;
  let isPattern = !tilde;
  let isNumber = !tilde;
  const take = (part: WordPart, quoted: boolean) => {
    const value = literal(part);
    if (value !== undefined) {
      if (whole) text += value;
      guess += value;
    } else if (part.type === "DoubleQuoted" || part.type === "LocaleString") {
      for (const inner of part.parts) take(inner, true);
    } else {
      whole = false;
      isPattern &&= part.type === "Glob";
      isNumber &&= part.type === "ArithmeticExpansion" || NUMBER.test(part.text);
      many ||= quoted ? isMany(part.text) : part.type !== "Glob";
      guess += part.type === "Glob" ? part.text : UNKNOWN;
    }
  };
  for (const part of word.parts) take(part, false);
  const arg = { text, whole: whole && !tilde, many, guess };
  if (whole) return tilde ? { ...arg, butFor: "home" } : arg;
  if (isNumber && AROUND_NUMBER.test(guess.replaceAll(UNKNOWN, ""))) return { ...arg, butFor: "number" };
  return isPattern ? { ...arg, pattern: guess } : arg;
}

/** `NAME=value` where it is an argument, as of export. */
export function assignmentOf(node: Assignment): Arg {
  if (node.value.type !== "Word" || node.index) return begun(`${node.name}=`, node.text);
  const value = argOf(node.value);
  const name = `${node.name}${node.append ? "+" : ""}=`;
  return { ...value, text: name + value.text, guess: name + value.guess };
}

function literal(part: WordPart): string | undefined {
  return part.type === "Literal" || part.type === "SingleQuoted" || part.type === "AnsiCQuoted"
    ? part.value
    : undefined;
}

/** For sentences: one line, short, nothing a terminal would obey. */
export function shown(text: string): string {
  const plain = text
    .replaceAll(UNKNOWN, "…")
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
  return plain.length > 60 ? `${plain.slice(0, 60)}…` : plain;
}

/** A program's name without its folder, in lower case: some file systems do not tell RM from rm. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).toLowerCase();
}

/** `$@`, `${a[@]}`, `${!a*}`: as many words as there are values, between quotes too. */
function isMany(expansion: string): boolean {
  return expansion === "$@" || (/^\$\{.*\}$/s.test(expansion) && /[@*]/.test(expansion));
}
