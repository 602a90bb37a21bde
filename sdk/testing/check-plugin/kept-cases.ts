import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { OwnMemory, Store, type AnySlot, type Plugin } from "../../index.ts";
import type { ContractCase } from "../contract-case.ts";
import { memoryContract } from "../memory-contract.ts";
import type { PluginSubject } from "../plugin-contract.ts";
import { messageOf, wrong } from "../say.ts";
import { storeContract } from "../store-contract.ts";
import { startTestHost, type TestHost } from "../test-host.ts";

export function provides({ provides: slots }: Plugin, slot: AnySlot): boolean {
  return slots?.some(({ id }) => id === slot.id) === true;
}

/** What a plugin must keep over a restart, each sentence in hosts of its own. */
export function keptCases(subject: PluginSubject, fillers: readonly Plugin[]): readonly ContractCase[] {
  const found: ContractCase[] = [];
  if (provides(subject.plugin, Store)) {
    const open = async () => {
      const { start, close } = await places(subject, fillers);
      const reopen = async (): Promise<Store> => (await start()).slot(Store);
      return { store: await reopen(), reopen, close };
    };
    found.push(...storeContract({ open }).map((rule) => inOneSentence(rule, "store", "storeContract")));
  }
  if (provides(subject.plugin, OwnMemory)) {
    const open = async () => {
      const { start, close } = await places(subject, fillers);
      const reopen = async (): Promise<OwnMemory> => (await start()).slot(OwnMemory);
      return { memory: await reopen(), reopen, close };
    };
    found.push(...memoryContract({ open }).map((rule) => inOneSentence(rule, "memory", "memoryContract")));
  }
  return found;
}

/** Comparisons of what is stored fill a page; the rule they break says it in a line. */
function inOneSentence({ name, run }: ContractCase, what: string, suite: string): ContractCase {
  const tell = (error: unknown): never => {
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
