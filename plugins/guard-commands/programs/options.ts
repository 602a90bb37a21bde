import type { Arg } from "../syntax/words.ts";
import { known } from "../syntax/words.ts";

/** The options of a program, as getopt_long knows them. */
export interface Options {
  /** Letters that take a value. */
  readonly value?: string;
  /** Letters whose value can only be attached. */
  readonly maybe?: string;
  /** Letters alone. */
  readonly flag?: string;
  /** Long names: `name`, `name=` (takes a value), `name?` (only attached). Any unambiguous beginning counts, as with GNU. */
  readonly long?: string;
  /** An option may be a bare number, as in `nice -5`. */
  readonly number?: boolean;
  /** Letter and long name of an option after which reading stops: its value is read in place of it. */
  readonly splits?: readonly string[];
  /** `+x` counts like `-x`, and `-` ends like `--`, as with shells. */
  readonly plus?: boolean;
}

export interface Parsed {
  /** Letter or long name, with the value where one was given. */
  readonly given: readonly Given[];
  /** From the first word that is no option. */
  readonly rest: readonly Arg[];
  /** Why it cannot be told where the options end. */
  readonly unclear?: string;
}

type Given = readonly [name: string, value: Arg | undefined];
/** The options in one word; `next` says that the last one's value is the following word. */
type Read = { readonly given: readonly Given[]; readonly next: boolean } | undefined;

/** Reads leading options and stops at the first operand. */
export function readOptions(args: readonly Arg[], spec: Options): Parsed {
  const given: Given[] = [];
  let at = 0;
  const stop = (unclear?: string): Parsed => ({
    given,
    rest: args.slice(at),
    ...(unclear !== undefined && { unclear }),
  });
  while (at < args.length) {
    const arg = args[at] as Arg;
    const { text } = arg;
    const sign = text.startsWith("-") || (spec.plus === true && text.startsWith("+"));
    if (!arg.whole && (sign || text === "" || arg.many)) return stop(arg.guess);
    const shellEnd = spec.plus === true && text === "-";
    if (!sign || ((text === "-" || text === "+") && !shellEnd)) return stop();
    at++;
    if (text === "--" || shellEnd) return stop();
    if (spec.number && /^-[-+]?\d+$/.test(text)) continue;
    const read: Read = text.startsWith("--") ? readLong(text, spec) : readLetters(text, spec);
    if (read === undefined) return stop(text);
    given.push(...read.given);
    const last = given.at(-1)?.[0] ?? "";
    if (read.next) given[given.length - 1] = [last, args[at]];
    // A value that may be several words hides where the options end.
    if (read.next && args[at++]?.many) return stop(text);
    if (spec.splits?.includes(last)) return stop();
  }
  return stop();
}

function readLong(text: string, spec: Options): Read {
  const [name = "", ...attached] = text.slice(2).split("=");
  const all = spec.long?.split(" ") ?? [];
  const begun = all.filter((long) => long.startsWith(name));
  const match =
    all.find((long) => long.replace(/[=?]$/, "") === name) ?? (begun.length === 1 ? begun[0] : undefined);
  if (match === undefined) return undefined;
  const value = attached.length > 0 ? known(attached.join("=")) : undefined;
  return { given: [[match.replace(/[=?]$/, ""), value]], next: value === undefined && match.endsWith("=") };
}

function readLetters(text: string, spec: Options): Read {
  const given: Given[] = [];
  for (let i = 1; i < text.length; i++) {
    const letter = text[i] as string;
    const attached = text.slice(i + 1);
    const takes = spec.value?.includes(letter) === true;
    if (takes || spec.maybe?.includes(letter)) {
      given.push([letter, attached === "" ? undefined : known(attached)]);
      return { given, next: takes && attached === "" };
    }
    if (!spec.flag?.includes(letter)) return undefined;
    given.push([letter, undefined]);
  }
  return { given, next: false };
}
