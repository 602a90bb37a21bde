import { messageOf, within, wrong } from "../say.ts";

/**
 * Returns the value of a plugin's function; throws the sentence if it throws, or does not answer in
 * time.
 */
export async function answered<T = unknown>(
  who: string,
  what: string,
  patienceMs: number,
  cure: string,
  work: () => unknown,
): Promise<T> {
  const late = wrong(who, `did not answer in ${patienceMs} ms in ${what}`, cure);
  try {
    return (await within(patienceMs, late, async () => work())) as T;
  } catch (error) {
    throw error === late ? late : wrong(who, `threw in ${what} (${messageOf(error)})`, cure);
  }
}

/** For a sentence: `null`, `a list`, `number`. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : typeof value;
}
