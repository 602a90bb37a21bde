import { parse } from "smol-toml";

/** Returns a value as it is typed on a command line: for a text key the text itself, else a TOML value. */
export function readValue(typed: string, isString: boolean): unknown {
  if (isString && !/^(["']).*\1$/s.test(typed)) return typed;
  try {
    return (parse(`v = ${typed}`) as { v: unknown }).v;
  } catch {
    return typed;
  }
}
