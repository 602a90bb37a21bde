import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Value } from "typebox/value";
import {
  Channels,
  Store,
  Tools,
  ToolSources,
  type AnySlot,
  type Plugin,
  type Tool,
  type ToolCall,
  type ToolSource,
} from "../index.ts";
import { channelContract } from "./channel-contract.ts";
import { fakeNet } from "./fake-net.ts";
import { guardContract } from "./guard-contract.ts";
import { heard } from "./heard.ts";
import { memoryStore } from "./memory-store.ts";
import { pluginContract, tapsOf, type PluginSubject } from "./plugin-contract.ts";
import { providerContract } from "./provider-contract.ts";
import { messageOf, within, wrong } from "./say.ts";
import { type ContractCase } from "./contract-case.ts";
import { storeContract } from "./store-contract.ts";
import { startTestHost, type TestHost } from "./test-host.ts";
import { toolContract } from "./tool-contract.ts";

export interface Finding {
  /** The sentence of the contract that does not hold. */
  readonly rule: string;
  /** What is wrong, with the plugin's name and the cure. */
  readonly message: string;
}

export interface Checked {
  readonly findings: readonly Finding[];
  /** How many sentences were tried. */
  readonly tried: number;
}

/**
 * Every sentence of the contracts that can be tried on this plugin without knowing more of it: how it starts and stops, and what
 * its tools, channels, providers, guards and store do where no server answers. `begins` hears each sentence before it is tried.
 * Needs @gantry/host beside the sdk.
 */
export async function checkPlugin(
  subject: PluginSubject,
  begins: (sentence: string) => void = () => {},
): Promise<Checked> {
  const findings: Finding[] = [];
  let tried = 0;
  const tryAll = async (list: readonly ContractCase[]): Promise<void> => {
    for (const { name, run } of list) {
      tried += 1;
      begins(name);
      try {
        await run();
      } catch (error) {
        findings.push({ rule: name, message: messageOf(error) });
      }
    }
  };
  const { plugin, patienceMs = 5_000 } = subject;
  const fillers = subject.with ?? fillersFor(plugin);
  await tryAll(pluginContract({ ...subject, with: fillers }));
  if (findings.some(({ message }) => message.includes("does not start"))) return { findings, tried };
  const spy = tapsOf(plugin);
  const timeouts = { plugin: patienceMs };
  const t = await startTestHost({
    plugins: [spy.plugin, ...fillers],
    timeouts,
    ...(subject.config && { config: subject.config }),
  });
  const loose = await heard(async () => {
    try {
      await tryAll(await kindCases(plugin, spy, t, patienceMs));
    } finally {
      await t.stop();
    }
  });
  if (provides(plugin, Store))
    await tryAll(storeContract({ open: () => openStore(subject, fillers) }).map(inOneSentence));
  const who = `The plugin ${plugin.name}`;
  findings.push(
    ...loose.map((error) => ({
      rule: "nothing is thrown where nobody waits",
      message: `${who} threw where nobody waited for it (${error.message}): catch what its timers and events throw.`,
    })),
  );
  return {
    findings: findings.map(({ rule, message }) => ({
      rule,
      message: message.startsWith(who) ? message : `${who}: ${message}`,
    })),
    tried,
  };
}

async function kindCases(
  plugin: Plugin,
  spy: ReturnType<typeof tapsOf>,
  t: TestHost,
  patienceMs: number,
): Promise<readonly ContractCase[]> {
  const own = new Set(t.registrations().filter((entry) => entry.startsWith(`${plugin.name}: `)));
  const mine = <T extends { readonly name: string }>(slot: AnySlot, values: Iterable<T>): T[] =>
    [...values].filter(({ name }) => own.has(`${plugin.name}: ${slot.id} ${name}`));
  const found: ContractCase[] = [];
  const sources = mine(ToolSources, t.slot(ToolSources).values());
  const listed = await Promise.all(sources.map((source) => toolsOf(source, patienceMs)));
  for (const tool of [...mine(Tools, t.slot(Tools).values()), ...listed.flat()]) {
    const args = argsOf(tool);
    found.push(...toolContract({ tool, args, cwd: t.runtime.workspace, runs: false, patienceMs }));
  }
  for (const channel of mine(Channels, t.slot(Channels).values()))
    found.push(...channelContract({ channel, to: "nobody", status: "any", patienceMs }));
  for (const guard of spy.handlers("beforeToolCall"))
    found.push(...guardContract({ name: plugin.name, guard: (call: ToolCall) => guard(call), patienceMs }));
  if (plugin.taps?.includes("resolveProvider")) {
    const id = plugin.name.replace(/^provider-/, "");
    for (const resolve of spy.handlers("resolveProvider")) {
      const provider = await resolve({ provider: id, model: undefined });
      if (provider) found.push(...providerContract({ provider, answers: false, patienceMs }));
    }
  }
  return found;
}

/** Arguments that fit; none where the input is nonsense, which the contract says. */
function argsOf({ input }: Tool): Record<string, unknown> {
  try {
    return Value.Create(input) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** What a source lists here; nothing where what it asks does not answer. */
function toolsOf(source: ToolSource, patienceMs: number): Promise<readonly Tool[]> {
  const list = async (): Promise<readonly Tool[]> => source.tools(AbortSignal.timeout(patienceMs));
  return within(patienceMs, new Error("late"), list).catch(() => []);
}

/** Comparisons of what is stored fill a page; the rule they break says it in a line. */
function inOneSentence({ name, run }: ContractCase): ContractCase {
  const tell = (error: unknown): never => {
    throw wrong(
      "Its store",
      `does not keep to "${name.replace(/^[A-Z]+-\d+: /, "")}" (${messageOf(error).split("\n")[0]})`,
      "run storeContract() in a test of its own to see where",
    );
  };
  return { name, run: () => run().catch(tell) };
}

/** What fills the slots that a plugin cannot live without, and what those need: a store and a network that are not real, else from `among`. */
export function fillersFor(plugin: Plugin, among: readonly Plugin[] = []): readonly Plugin[] {
  const known = [memoryStore(), fakeNet(), ...among.filter(({ name }) => name !== plugin.name)];
  const chosen: Plugin[] = [];
  const visit = (needs: Plugin["needs"]): void => {
    for (const slot of Object.values(needs ?? {}) as AnySlot[]) {
      if (!slot || slot.many || slot.optional || [plugin, ...chosen].some((other) => provides(other, slot)))
        continue;
      const filler = known.find((other) => provides(other, slot));
      if (!filler) continue;
      chosen.push(filler);
      visit(filler.needs);
    }
  };
  visit(plugin.needs);
  return chosen;
}

function provides({ provides: slots }: Plugin, slot: AnySlot): boolean {
  return slots?.some(({ id }) => id === slot.id) === true;
}

async function openStore(
  subject: PluginSubject,
  fillers: readonly Plugin[],
): Promise<{ store: Store; reopen(): Promise<Store>; close(): Promise<void> }> {
  const options = {
    plugins: [subject.plugin, ...fillers],
    ...(subject.config && { config: subject.config }),
  };
  const configDir = await mkdtemp(path.join(tmpdir(), "gantry-check-"));
  const hosts = [await startTestHost({ ...options, configDir })];
  return {
    store: (hosts[0] as TestHost).slot(Store),
    async reopen() {
      await hosts.at(-1)?.stop();
      const again = await startTestHost({ ...options, configDir });
      hosts.push(again);
      return again.slot(Store);
    },
    async close() {
      await hosts.at(-1)?.stop();
      await rm(configDir, { recursive: true, force: true });
    },
  };
}
