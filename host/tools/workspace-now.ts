import { AsyncLocalStorage } from "node:async_hooks";

const narrowed = new AsyncLocalStorage<string | undefined>();

/** Runs what belongs to a turn; `workspace` is the turn's own, undefined for the configured one. */
export function runIn<T>(workspace: string | undefined, work: () => T): T {
  // What began in another turn, such as the next message of a queue, does not keep that turn's.
  return narrowed.getStore() === workspace ? work() : narrowed.run(workspace, work);
}

/** Returns the workspace of the turn that this is called in; undefined for the configured one. */
export function workspaceNow(): string | undefined {
  return narrowed.getStore();
}
