import { known, type Arg } from "../syntax/words.ts";

/**
 * The options of a program that say where its operands begin, as getopt_long knows them. Any other
 * is a flag.
 */
export interface Options {
  /** Letters that take a value. */
  readonly value?: string;
  /** Letters whose value can only be attached. */
  readonly attached?: string;
  /**
   * Long names: `name`, `name=` (takes a value), `name?` (only attached). A beginning counts, as
   * with GNU.
   */
  readonly long?: string;
  /**
   * Letter and long name of an option after which reading stops: its value is read in place of it.
   */
  readonly splits?: readonly string[];
  /** `+x` counts like `-x`, and `-` ends like `--`, as with shells. */
  readonly plus?: boolean;
}

export interface Parsed {
  /** Letter or long name, with the value if there is one. */
  readonly given: readonly Given[];
  /** From the first word that is not an option. */
  readonly rest: readonly Arg[];
}

type Given = readonly [name: string, value: Arg | undefined];
/** The options in one word; `next` says that the following word is the value of the last one. */
interface Read {
  readonly given: readonly Given[];
  readonly next: boolean;
}

/**
 * Reads leading options and stops at the first operand, or at a word that is known only at run
 * time.
 */
export function readOptions(args: readonly Arg[], spec: Options): Parsed {
  const given: Given[] = [];
  let at = 0;
  for (let arg = args[0]; arg !== undefined; arg = args[at]) {
    const { text, whole } = arg;
    const isSigned = text.startsWith("-") || (spec.plus === true && text.startsWith("+"));
    if (!whole || !isSigned || (text.length === 1 && !(spec.plus && text === "-"))) break;
    at++;
    if (text === "--" || text === "-") break;
    const read = text.startsWith("--") ? readLong(text, spec) : readLetters(text, spec);
    given.push(...read.given);
    const last = given.at(-1)?.[0] ?? "";
    if (read.next) given[given.length - 1] = [last, args[at++]];
    if (spec.splits?.includes(last)) break;
  }
  return { given, rest: args.slice(at) };
}

export function has({ given }: Parsed, ...names: readonly string[]): boolean {
  return given.some(([name]) => names.includes(name));
}

export function valueOf({ given }: Parsed, ...names: readonly string[]): Arg | undefined {
  return given.find(([name]) => names.includes(name))?.[1];
}

function readLong(text: string, { long = "" }: Options): Read {
  const end = text.indexOf("=");
  const name = text.slice(2, end < 0 ? undefined : end);
  const begun = long.split(" ").filter((one) => one !== "" && one.startsWith(name));
  const match = begun.find((one) => one.replace(/[=?]$/, "") === name) ?? begun[0] ?? name;
  const value = end < 0 ? undefined : known(text.slice(end + 1));
  return { given: [[match.replace(/[=?]$/, ""), value]], next: end < 0 && match.endsWith("=") };
}

function readLetters(text: string, spec: Options): Read {
  const given: Given[] = [];
  for (let i = 1; i < text.length; i++) {
    const letter = text[i] as string;
    const attached = text.slice(i + 1);
    const takes = spec.value?.includes(letter) === true;
    if (takes || spec.attached?.includes(letter)) {
      given.push([letter, attached === "" ? undefined : known(attached)]);
      return { given, next: takes && attached === "" };
    }
    given.push([letter, undefined]);
  }
  return { given, next: false };
}
