import { OwnMemory, Store, type Memory, type Plugin } from "../../index.ts";
import type { PluginSubject } from "../plugin-contract.ts";
import { heard } from "../heard.ts";
import { within } from "../say.ts";
import { startTestHost } from "../test-host.ts";
import { provides } from "./provides.ts";

/** Names the data that a store holds already, for a sentence; undefined if it is empty. */
export async function keptIn({ sessions, memory, lanes, usage }: Store): Promise<string | undefined> {
  const [{ length }, { waiting, running, deadLetters }, sums] = await Promise.all([
    sessions.list(1),
    lanes.stats(),
    usage.sum("day", 0),
  ]);
  if (length > 0) return "conversations";
  if (waiting + running + deadLetters > 0) return "messages";
  return sums.length > 0 ? "what requests have cost" : keptOf(memory);
}

export async function keptOf(memory: Memory): Promise<string | undefined> {
  return (await memory.count()) > 0 ? "memories" : undefined;
}

/**
 * Names the data that lie already where the check would write, as in the database of a real
 * service; only reads. Undefined if there are none, or the host does not start, which the contract
 * says.
 */
export async function keptBefore(
  { plugin, config, patienceMs }: PluginSubject,
  fillers: readonly Plugin[],
): Promise<{ readonly kept: string; readonly by: string } | undefined> {
  const all = [plugin, ...fillers];
  const [store, memory] = [Store, OwnMemory].map((slot) => all.find((one) => provides(one, slot)));
  if (!store && !memory) return undefined;
  const ms = patienceMs ?? 5_000;
  const options = { plugins: all, timeouts: { plugin: ms }, ready: false, ...(config && { config }) };
  let found: { readonly kept: string; readonly by: string } | undefined;
  // The sentences that follow tell what the plugin throws while nobody waits.
  await heard(async () => {
    const t = await startTestHost(options).catch(() => undefined);
    const stored = t && store && (await readable(ms, () => keptIn(t.slot(Store))));
    const remembered = t && memory && (await readable(ms, () => keptOf(t.slot(OwnMemory))));
    if (store && stored !== undefined) found = { kept: stored, by: store.name };
    else if (memory && remembered !== undefined) found = { kept: remembered, by: memory.name };
    await t?.stop();
  });
  return found;
}

/** Undefined as well where it does not answer: what it lacks is told by the contract. */
export function readable(ms: number, read: () => Promise<string | undefined>): Promise<string | undefined> {
  return within(ms, new Error("late"), read).catch(() => undefined);
}
