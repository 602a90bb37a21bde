import { answerOf, wrong } from "../say.ts";

/**
 * Returns the value of a plugin's function; throws the sentence if it throws, or does not answer in
 * time.
 */
export function answered<T = unknown>(
  who: string,
  what: string,
  patienceMs: number,
  cure: string,
  work: () => unknown,
): Promise<T> {
  const late = wrong(who, `did not answer in ${patienceMs} ms in ${what}`, cure);
  return answerOf(patienceMs, late, work, (error) => wrong(who, `threw in ${what} (${error})`, cure));
}

/** For a sentence: `null`, `a list`, `number`. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : typeof value;
}
