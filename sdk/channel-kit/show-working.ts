import { pause } from "./pause.ts";

/** A platform that refuses the indicator this often in a row is not asked again. */
const maxFailures = 3;

/**
 * Shows an indicator that fades after a while, such as "typing", again and again until `signal` is
 * aborted. Never throws.
 */
export async function showWorking(
  everyMs: number,
  signal: AbortSignal,
  show: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted && failures < maxFailures) {
    const shown = await show(signal).then(
      () => true,
      () => false,
    );
    failures = shown ? 0 : failures + 1;
    await pause(everyMs, signal);
  }
}
