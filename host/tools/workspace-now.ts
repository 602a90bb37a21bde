import { AsyncLocalStorage } from "node:async_hooks";

const narrowed = new AsyncLocalStorage<string | Error | undefined>();

/** Runs a turn's work; `workspace` is its own, undefined for the configured, or why it has none. */
export function runIn<T>(workspace: string | Error | undefined, work: () => T): T {
  // Work begun in another turn, such as the next message of a queue, does not keep that turn's.
  return narrowed.getStore() === workspace ? work() : narrowed.run(workspace, work);
}

/** Returns this turn's workspace; undefined for the configured one. Throws why it has none. */
export function workspaceNow(): string | undefined {
  const now = narrowed.getStore();
  if (now instanceof Error) throw now;
  return now;
}
