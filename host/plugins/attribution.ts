import { AsyncLocalStorage } from "node:async_hooks";

const running = new AsyncLocalStorage<string>();
const tracing = new AsyncLocalStorage<Trace>();

/** The facts that every log line gives of the message that it belongs to. */
export interface Trace {
  /** The id of the request that brought it. */
  readonly trace: string | undefined;
  /** A short name for its conversation. */
  readonly conversation: string;
  /** The traceparent of the turn. */
  readonly traceparent?: string;
}

/** Runs a plugin's code so that what it starts and what fails there later carries its name. */
export function runAs<T>(plugin: string, work: () => T): T {
  return running.run(plugin, work);
}

/** The plugin whose code runs now, or started what runs now. */
export function currentPlugin(): string | undefined {
  return running.getStore();
}

/** Runs what is done for one message, so that all its log lines can be found by it. */
export function runTraced<T>(trace: Trace, work: () => T): T {
  return tracing.run(trace, work);
}

/** Runs work outside of every request, call, message and plugin that runs now. */
export const runOutside: <T>(work: () => T) => T = AsyncLocalStorage.snapshot();

export function currentTrace(): Trace | undefined {
  return tracing.getStore();
}
