import { refuse, type Limits, type Refusal, type ToolCall } from "@gantry/sdk";
import { errors } from "./errors.ts";
import type { ActionWindow } from "./windows.ts";

/** Counts a call of its user and refuses it where a window is full; a dry run only looks. */
export async function countAction(
  limits: Limits,
  windows: readonly ActionWindow[],
  call: ToolCall,
): Promise<Refusal | undefined> {
  const key = `actions:${call.user}`;
  if (call.dryRun) {
    for (const window of windows) {
      if ((await limits.count(key, window.ms)) >= window.max)
        return full(call.user, window, `when one of them is a ${window.span} ago`);
    }
    return undefined;
  }
  const answer = await limits.hit(key, windows);
  if (answer.ok) return undefined;
  const window = windows.find(({ ms }) => ms === answer.window.ms)!;
  const at = new Date(Date.now() + answer.retryAfterMs);
  return full(call.user, window, `in ${Math.ceil(answer.retryAfterMs / 1000)} s, at ${at.toISOString()}`);
}

function full(user: string, { max, span, key }: ActionWindow, when: string): Refusal {
  return refuse(errors.LIMIT_REACHED(user, max, span, key, when));
}
