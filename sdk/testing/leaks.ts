import { setTimeout as delay } from "node:timers/promises";

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
