import type { Store } from "@gantry/sdk";
import { createMemoryStore } from "@gantry/sdk/testing";

/**
 * Where to start: every part works and forgets everything with the process. Replace them one by one (values, limits, memory,
 * sessions, lanes) with parts that keep their promise "resolved means on disk"; the contract in index.test.ts stays green.
 */
export function createStore(): Store {
  const { sessions, memory, lanes, limits, values, usage, erase } = createMemoryStore();
  return { sessions, memory, lanes, limits, values, usage, erase };
}
