import { setTimeout as delay } from "node:timers/promises";
import { wrong } from "./say.ts";

/** Work that lets nothing else run for longer blocks the service. */
const blockingMs = 1_000;

/** Threads that run: process.getActiveResourcesInfo() does not tell of them. */
let threads = 0;
process.on("worker", (worker) => {
  threads += 1;
  worker.once("exit", () => (threads -= 1));
});

/** Returns the objects that keep a process alive or listen in it, counted by kind. */
export function heldNow(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>([["Worker", threads]]);
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  for (const event of process.eventNames())
    counts.set(`process.on(${String(event)})`, process.listenerCount(event));
  return counts;
}

/**
 * Returns the kinds of which there are more than before, once closing things had `ms` to close: `2
 * Timeout`.
 */
export async function leftOver(before: ReadonlyMap<string, number>, ms: number): Promise<readonly string[]> {
  const until = Date.now() + ms;
  for (;;) {
    const more = [...heldNow()].filter(([kind, count]) => count > (before.get(kind) ?? 0));
    if (more.length === 0 || Date.now() > until)
      return more.map(([kind, count]) => `${count - (before.get(kind) ?? 0)} ${kind}`);
    await delay(10);
  }
}

/** Throws if work has let nothing else run for too long. */
export function mustYield(
  who: string,
  blockedMs: number,
  cure: string = "wait with await",
  over: string = "",
): void {
  if (blockedMs > blockingMs)
    throw wrong(who, `let nothing else run for ${Math.round(blockedMs)} ms${over}`, cure);
}

/** Throws if timers have been left behind since `before`, once they had `ms` to end. */
export async function mustClear(
  who: string,
  before: ReadonlyMap<string, number>,
  ms: number,
  { after, cure }: { readonly after: string; readonly cure: string },
): Promise<void> {
  const left = await leftOver(before, ms);
  if (left.some((kind) => kind.endsWith("Timeout")))
    throw wrong(who, `left ${left.join(", ")} behind after ${after}`, cure);
}
