import type { OnboardingQuestions } from "../contract/onboarding.ts";

/** How people are named on a platform, for the question who may write. */
export interface AskedPeople {
  /** The question: where a person finds their id, and that the first is the owner. */
  readonly question: string;
  /** An id, for people: `the id of a person`. */
  readonly kind: string;
  readonly form: RegExp;
  readonly example: string;
  /** Returns true for a secret of the channel, which somebody pastes in the wrong place. */
  isSecret(text: string): boolean;
}

/** Asks who may write; resolves to their ids, in the order in which they were named. */
export async function askPeople(
  questions: OnboardingQuestions,
  people: AskedPeople,
): Promise<readonly string[]> {
  const check = (text: string): string | undefined => wrongIds(split(text), people);
  return split(await questions.text(people.question, { check }));
}

function split(text: string): readonly string[] {
  return text.split(/[,\s]+/).filter((part) => part !== "");
}

function wrongIds(
  ids: readonly string[],
  { kind, form, example, isSecret }: AskedPeople,
): string | undefined {
  if (ids.some(isSecret)) return `That is the token; who may write is ${kind}.`;
  const wrong = ids.find((id) => !form.test(id));
  if (wrong !== undefined) return `${wrong} is not ${kind} such as ${example}.`;
  return ids.length === 0 ? "Please name at least one person." : undefined;
}
