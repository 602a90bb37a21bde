import { AsyncLocalStorage } from "node:async_hooks";

const running = new AsyncLocalStorage<string>();

/** Runs a plugin's code so that what it starts and what fails there later still carries its name. */
export function runAs<T>(plugin: string, work: () => T): T {
  return running.run(plugin, work);
}

/** The plugin whose code runs now, or started what runs now. */
export function currentPlugin(): string | undefined {
  return running.getStore();
}
