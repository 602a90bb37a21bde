import { parse } from "smol-toml";

/** Returns the value of what was typed: for a text key the text itself, else a TOML value. */
export function readValue(typed: string, isString: boolean): unknown {
  if (isString && !/^(["']).*\1$/s.test(typed)) return typed;
  try {
    return (parse(`v = ${typed}`) as { v: unknown }).v;
  } catch {
    return typed;
  }
}
