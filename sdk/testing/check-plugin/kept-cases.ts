import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { OwnMemory, Store, type Plugin } from "../../index.ts";
import type { ContractCase } from "../contract-case.ts";
import { memoryContract } from "../memory-contract.ts";
import type { PluginSubject } from "../plugin-contract.ts";
import { messageOf, wrong } from "../say.ts";
import { storeContract } from "../store-contract.ts";
import { startTestHost, type TestHost } from "../test-host.ts";
import { provides } from "./provides.ts";
import { keptIn, keptOf, readable } from "./kept-data.ts";

/** Returns the duties of a plugin over a restart, each sentence in hosts of its own. */
export function keptCases(subject: PluginSubject, fillers: readonly Plugin[]): readonly ContractCase[] {
  const found: ContractCase[] = [];
  const { patienceMs = 5_000 } = subject;
  if (provides(subject.plugin, Store)) {
    const open = async () => {
      const { start, close } = await places(subject, fillers);
      const reopen = async (): Promise<Store> => (await start()).slot(Store);
      const store = await reopen();
      await refuseSame(await readable(patienceMs, () => keptIn(store)), close);
      return { store, reopen, close };
    };
    found.push(...storeContract({ open }).map((rule) => inOneSentence(rule, "store", "storeContract")));
  }
  if (provides(subject.plugin, OwnMemory)) {
    const open = async () => {
      const { start, close } = await places(subject, fillers);
      const reopen = async (): Promise<OwnMemory> => (await start()).slot(OwnMemory);
      const memory = await reopen();
      await refuseSame(await readable(patienceMs, () => keptOf(memory)), close);
      return { memory, reopen, close };
    };
    found.push(...memoryContract({ open }).map((rule) => inOneSentence(rule, "memory", "memoryContract")));
  }
  return found;
}

/**
 * Why the sentences that follow are not tried: what a plugin keeps lies where each of its hosts
 * finds it again.
 */
export class SameAgain extends Error {}

/**
 * Nothing more is tried with what one case has left to the next: it would be taken for the plugin's
 * fault.
 */
async function refuseSame(kept: string | undefined, close: () => Promise<void>): Promise<void> {
  if (kept === undefined) return;
  await close();
  throw new SameAgain(`gives a new host the same data again (${kept})`);
}

/** Comparisons of what is stored fill a page; the rule they break says it in a line. */
function inOneSentence({ name, run }: ContractCase, what: string, suite: string): ContractCase {
  const tell = (error: unknown): never => {
    if (error instanceof SameAgain) throw error;
    throw wrong(
      `Its ${what}`,
      `does not keep to "${name.replace(/^[A-Z]+-\d+: /, "")}" (${messageOf(error).split("\n")[0]})`,
      `run ${suite}() in a test of its own to see where`,
    );
  };
  return { name, run: () => run().catch(tell) };
}

/** Hosts over one directory, one after the other. */
async function places({ plugin, config }: PluginSubject, fillers: readonly Plugin[]) {
  const configDir = await mkdtemp(path.join(tmpdir(), "gantry-check-"));
  let host: TestHost | undefined;
  const start = async (): Promise<TestHost> => {
    await host?.stop();
    host = await startTestHost({ plugins: [plugin, ...fillers], ...(config && { config }), configDir });
    return host;
  };
  const close = async (): Promise<void> => {
    await host?.stop();
    await rm(configDir, { recursive: true, force: true });
  };
  return { start, close };
}
