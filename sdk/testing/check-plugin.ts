import { definePlugin, type AnySlot, type InboundMessage, type Plugin } from "../index.ts";
import { kindCases } from "./check-plugin/kind-cases.ts";
import { keptCases, SameAgain } from "./check-plugin/kept-cases.ts";
import { provides } from "./check-plugin/provides.ts";
import { keptBefore } from "./check-plugin/kept-data.ts";
import type { ContractCase } from "./contract-case.ts";
import { fakeNet } from "./fake-net.ts";
import { heard } from "./heard.ts";
import { memoryStore } from "./memory-store.ts";
import { pluginContract, tapsOf, type PluginSubject } from "./plugin-contract.ts";
import { messageOf } from "./say.ts";
import { startTestHost } from "./test-host.ts";

export interface Finding {
  /** The sentence of the contract that does not hold. */
  readonly rule: string;
  /** The fault, with the plugin's name and the cure. */
  readonly message: string;
}

export interface Checked {
  readonly findings: readonly Finding[];
  /** The number of sentences that were tried. */
  readonly tried: number;
  /** Sentences that could not be tried, and how they can be: one sentence each. */
  readonly untried: readonly string[];
}

/**
 * Every sentence of the contracts that can be tried on this plugin without knowing more of it: how
 * it starts and stops, and what its tools, channels, providers, guards, what it fills around a
 * turn, its store and its memory do where no server answers. `begins` hears each sentence before it
 * is tried. Needs @gantry/host beside the sdk.
 */
export async function checkPlugin(
  subject: PluginSubject,
  begins: (sentence: string) => void = () => {},
): Promise<Checked> {
  const findings: Finding[] = [];
  const untried: string[] = [];
  let tried = 0;
  const tryAll = async (list: readonly ContractCase[]): Promise<void> => {
    for (const { name, run } of list) {
      tried += 1;
      begins(name);
      try {
        await run();
      } catch (error) {
        if (error instanceof SameAgain) {
          tried -= 1;
          untried.push(sentenceOf(plugin, error));
          return;
        }
        findings.push({ rule: name, message: messageOf(error) });
      }
    }
  };
  const { plugin, patienceMs = 5_000 } = subject;
  const fillers = subject.with ?? fillersFor(plugin);
  const before = await keptBefore(subject, fillers);
  if (before) return { findings: [notEmpty(before)], tried, untried };
  await tryAll(pluginContract({ ...subject, with: fillers }));
  if (findings.some(({ message }) => message.includes("does not start"))) return { findings, tried, untried };
  const spy = tapsOf(plugin);
  const timeouts = { plugin: patienceMs };
  const began: InboundMessage[] = [];
  const t = await startTestHost({
    plugins: [spy.plugin, ...fillers, hears(began)],
    timeouts,
    ...(subject.config && { config: subject.config }),
  });
  const loose = await heard(async () => {
    try {
      await tryAll(await kindCases(plugin, spy, t, patienceMs, began));
    } finally {
      await t.stop();
    }
  });
  await tryAll(keptCases(subject, fillers));
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
    untried,
  };
}

/** Notes every message that a turn is begun with. */
function hears(began: InboundMessage[]): Plugin {
  return definePlugin({
    name: "check-hears",
    summary: "Notes what turns are begun with.",
    taps: ["onInboundMessage"],
    setup(host) {
      host.hooks.onInboundMessage.tap((message) => {
        began.push(message);
        return undefined;
      });
    },
  });
}

/** A check writes what nobody said, and reads all that is there as its own. */
function notEmpty({ kept, by }: { readonly kept: string; readonly by: string }): Finding {
  const what = `The plugin ${by} holds ${kept} already where its configuration points, and a check writes there, so nothing was tried`;
  const cure = `name an empty database of its own for the check in the keys that ${by} is tried with`;
  return { rule: "a check writes into an empty store alone", message: `${what}: ${cure}.` };
}

function sentenceOf({ name }: Plugin, { message }: SameAgain): string {
  const cure =
    "try them with storeContract() or memoryContract() in a test whose open() empties it each time";
  return `The plugin ${name} ${message}, so the other sentences of what it keeps are not tried: ${cure}.`;
}

/**
 * Returns the plugins that fill the slots that a plugin cannot live without, and those that these
 * need: those `given`, which stand beside it in any case, a store and a network that are not real,
 * else from `among`.
 */
export function fillersFor(
  plugin: Plugin,
  among: readonly Plugin[] = [],
  given: readonly Plugin[] = [],
): readonly Plugin[] {
  const known = [memoryStore(), fakeNet(), ...among.filter(({ name }) => name !== plugin.name)];
  const chosen: Plugin[] = [...given];
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
  for (const { needs } of [plugin, ...given]) visit(needs);
  return chosen;
}
