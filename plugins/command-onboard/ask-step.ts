import type {
  CheckRow,
  CommandContext,
  ConfigFile,
  OnboardingKeys as Keys,
  OnboardingStep,
} from "@gantry/sdk";
import type { Ask } from "./ask.ts";
import type { OnboardNeeds } from "./needs.ts";

const limitMs = 15_000;
const NOTHING = "nothing";

export interface StepQuestion {
  /** Which steps are offered. */
  readonly sets: "channel" | "tool";
  readonly message: string;
  /** The choice of none of them. */
  readonly none: string;
}

/** Returns the keys of the channels whose tables lack something; undefined if none does. */
export async function askWhatLacks(
  ask: Ask,
  run: CommandContext,
  { configFile, runtime }: OnboardNeeds,
  others: Keys,
): Promise<Keys | undefined> {
  let keys: Keys | undefined;
  const steps = await configFile.onboarding();
  for (const { message, curedBy } of runtime.problems) {
    const step = steps.find(({ title }) => title === curedBy);
    if (step === undefined) continue;
    ask.note(step.title, [message]);
    keys = { ...keys, ...(await keysOf(step, ask, run, configFile, { ...others, ...keys })) };
  }
  return keys;
}

/** Returns the keys of the chosen step; undefined if nothing is wanted. */
export async function askStep(
  ask: Ask,
  run: CommandContext,
  configFile: ConfigFile,
  { sets, message, none }: StepQuestion,
  others: Keys,
): Promise<Keys | undefined> {
  const steps = (await configFile.onboarding())
    .filter((step) => (step.sets ?? "channel") === sets)
    .toSorted((a, b) => (a.title < b.title ? -1 : 1));
  if (steps.length === 0) return undefined;
  const chosen = await ask.choice(message, [
    { value: NOTHING, label: none },
    ...steps.map(({ title, hint }) => ({ value: title, label: title, hint })),
  ]);
  const step = steps.find(({ title }) => title === chosen);
  return step && keysOf(step, ask, run, configFile, others);
}

/** Settings that can be tried are tried before they are kept. */
async function keysOf(
  step: OnboardingStep,
  ask: Ask,
  run: CommandContext,
  configFile: ConfigFile,
  others: Keys,
): Promise<Keys> {
  for (;;) {
    const look = (keys: Keys): Promise<readonly CheckRow[]> =>
      rowsWith(configFile, { ...others, ...keys }, step, run.signal);
    const keys = await step.ask(ask, (known) => looked(ask, run, step, () => look(known)));
    if (await isWanted(ask, run, step, async () => saidBy(await look(keys), step))) return keys;
  }
}

/**
 * True if the step's own check is content with these keys, or the person keeps them although it
 * does not.
 */
async function isWanted(
  ask: Ask,
  run: CommandContext,
  { title, check }: OnboardingStep,
  work: () => Promise<string>,
): Promise<boolean> {
  if (check === undefined) return true;
  try {
    await ask.while(`Asking ${title}`, work, (detail) => detail);
    return true;
  } catch (error) {
    if (run.signal.aborted) throw error;
    return ask.yes("Keep these answers although they do not work?", false);
  }
}

/** Returns the verdict of the step's own check on the keys so far; empty if it cannot run. */
async function looked(
  ask: Ask,
  run: CommandContext,
  { title, check }: OnboardingStep,
  work: () => Promise<readonly CheckRow[]>,
): Promise<readonly CheckRow[]> {
  if (check === undefined) return [];
  try {
    return await ask.while(`Looking at ${title}`, work, () => `Looked at ${title}`);
  } catch (error) {
    if (run.signal.aborted) throw error;
    return [];
  }
}

/** Returns the verdict of the step's own check with these keys; throws if it does not start. */
function rowsWith(
  configFile: ConfigFile,
  changes: Keys,
  { check = "", title }: OnboardingStep,
  outer: AbortSignal,
): Promise<readonly CheckRow[]> {
  const signal = AbortSignal.any([outer, AbortSignal.timeout(limitMs)]);
  return configFile.trial(changes, async ({ checks }): Promise<readonly CheckRow[]> => {
    const own = checks.get(check);
    if (own === undefined) throw new Error(`${title} does not start with these answers.`);
    return own.run(signal);
  });
}

/** The sentence of the first row; throws what is wrong. */
function saidBy(rows: readonly CheckRow[], { title }: OnboardingStep): string {
  const wrong = rows.find(({ state }) => state === "fail");
  if (wrong) throw new Error(wrong.detail);
  return rows[0]?.detail ?? `${title} is set up`;
}
