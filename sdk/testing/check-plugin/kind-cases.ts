import { Budget, Redactors } from "../../fill.ts";
import {
  Agents,
  Channels,
  ChatCommands,
  Commands,
  History,
  Observers,
  PromptParts,
  ResultFilters,
  Routes,
  Speaker,
  Tools,
  ToolSources,
  Transcriber,
  type AnySlot,
  type InboundMessage,
  type Plugin,
  type ToolCall,
} from "../../index.ts";
import { channelContract } from "../channel-contract.ts";
import type { ContractCase } from "../contract-case.ts";
import { guardContract } from "../guard-contract.ts";
import type { tapsOf } from "../plugin-contract.ts";
import { providerContract } from "../provider-contract.ts";
import type { TestHost } from "../test-host.ts";
import { toolContract } from "../tool-contract.ts";
import { agentCases } from "./agent-cases.ts";
import { chatCommandCases } from "./chat-command-cases.ts";
import { commandCases } from "./command-cases.ts";
import { exampleOf } from "./example.ts";
import { provides } from "./provides.ts";
import { redactorCases } from "./redactor-cases.ts";
import { routeCases } from "./route-cases.ts";
import { speakerCases, transcriberCases } from "./voice-cases.ts";
import { filterCases, listedBy, observerCases, sourceCases } from "./tool-cases.ts";
import { budgetCases, historyCases, promptCases } from "./turn-cases.ts";

/**
 * Returns the duties of each thing that a plugin registered, as far as they can be tried without
 * knowing more of it.
 */
export async function kindCases(
  plugin: Plugin,
  spy: ReturnType<typeof tapsOf>,
  t: TestHost,
  patienceMs: number,
  began: readonly InboundMessage[],
): Promise<readonly ContractCase[]> {
  const own = new Set(t.registrations().filter((entry) => entry.startsWith(`${plugin.name}: `)));
  const mine = <T extends { readonly name: string }>(slot: AnySlot, values: Iterable<T>): T[] =>
    [...values].filter(({ name }) => own.has(`${plugin.name}: ${slot.id} ${name}`));
  const found: ContractCase[] = [];
  const sources = mine(ToolSources, t.slot(ToolSources).values());
  const listed = await Promise.all(sources.map((source) => listedBy(source, patienceMs)));
  for (const source of sources) found.push(...sourceCases(source, patienceMs));
  for (const tool of [...mine(Tools, t.slot(Tools).values()), ...listed.flat()]) {
    const args = exampleOf(tool.input);
    found.push(...toolContract({ tool, args, cwd: t.runtime.workspace, runs: false, patienceMs }));
  }
  for (const channel of mine(Channels, t.slot(Channels).values()))
    found.push(...channelContract({ channel, to: "nobody", status: "any", patienceMs }));
  for (const part of mine(PromptParts, t.slot(PromptParts).values()))
    found.push(...promptCases(part, patienceMs));
  for (const filter of mine(ResultFilters, t.slot(ResultFilters).values()))
    found.push(...filterCases(filter, patienceMs));
  for (const redactor of mine(Redactors, t.slot(Redactors).values()))
    found.push(...redactorCases(redactor, patienceMs));
  for (const observer of mine(Observers, t.slot(Observers).values()))
    found.push(...observerCases(observer, patienceMs));
  for (const command of mine(ChatCommands, t.slot(ChatCommands).values()))
    found.push(...chatCommandCases(command, patienceMs));
  for (const command of mine(Commands, t.slot(Commands).values()))
    found.push(...commandCases(command, patienceMs));
  for (const route of mine(Routes, t.slot(Routes).values()))
    found.push(...routeCases(route, patienceMs, began));
  if (provides(plugin, Speaker)) found.push(...speakerCases(t.slot(Speaker), patienceMs));
  if (provides(plugin, Transcriber)) found.push(...transcriberCases(t.slot(Transcriber), patienceMs));
  if (provides(plugin, Agents)) found.push(...agentCases(t.slot(Agents), patienceMs));
  if (provides(plugin, History)) found.push(...historyCases(t.slot(History), patienceMs));
  if (provides(plugin, Budget)) found.push(...budgetCases(t.slot(Budget), patienceMs));
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
