import path from "node:path";
import { autonomyLevels } from "@gantry/sdk/fill";
import { asError } from "@gantry/sdk/node";
import { Agents, type Agent, type Autonomy, type InboundMessage, type PromptOptions } from "@gantry/sdk";
import type { Registry } from "../plugins/registry.ts";
import type { TurnContext } from "../tools/turn-context.ts";
import type { InnerTurn } from "./inner-turn.ts";
import { withinLevel } from "./prompt-options.ts";
import { runIn } from "../tools/workspace-now.ts";
import { placed } from "./turn-workspace.ts";

/**
 * Returns whom the configuration names; for a tool that asks for a turn the agent that it names,
 * else the one around it: under a mere label nobody is rid of an agent.
 */
export async function agentOf(
  registry: Registry,
  message: InboundMessage,
  session: string,
  named: string | undefined,
  inner?: InnerTurn,
): Promise<Agent | undefined> {
  const agents = registry.get(Agents);
  const find = (wanted?: string) => agents?.list().find(({ name }) => name === wanted);
  if (inner) return find(named) ?? find(inner.call.turn?.agent);
  return agents?.of({ message, session, ...(named !== undefined && { named }) });
}

/** The configured bounds of all turns. */
export interface Widest {
  readonly level: Autonomy;
  readonly turn: { readonly workspace: string };
}

/**
 * Returns the options as this agent may have them: of each bound the narrower one, so that no
 * plugin makes an agent wider than the configuration, its caller or the turn around it. Throws
 * WORKSPACE_OUTSIDE and WORKSPACE_ABSENT.
 */
export async function asAgent<T extends Pick<PromptOptions, "approvals"> & Partial<PromptOptions>>(
  { level, turn: { workspace: configured } }: Widest,
  agent: Agent | undefined,
  options: T,
  around?: TurnContext,
): Promise<T> {
  if (!agent) return options;
  const { name, tools, autonomy, workspace, budget, memory: _, ...usual } = agent;
  const most = around?.autonomy ?? level;
  const levels = [options.autonomy ?? most, autonomy ?? most, most].map((one) => autonomyLevels.indexOf(one));
  // A level that is none is at position -1.
  const narrowest = autonomyLevels[Math.max(0, Math.min(...levels))] as Autonomy;
  const had = options.tools && tools?.filter((tool) => options.tools?.includes(tool));
  const own = workspace !== undefined && { workspace: path.resolve(configured, workspace) };
  const { workspace: folder } = own ? await placed(own, configured, around) : {};
  // The folder that the caller asks for is resolved already, and must lie in the agent's.
  const within = folder === undefined ? options : await placed(options, folder, undefined);
  const place = within.workspace ?? folder;
  const tokens = Math.min(options.budget?.tokens ?? Infinity, budget?.tokens ?? Infinity);
  const bound = {
    ...(name !== around?.agent && usual),
    ...options,
    agent: name,
    ...(tools && { tools: had ?? tools }),
    ...(place !== undefined && { workspace: place }),
    ...(tokens < Infinity && { budget: { tokens } }),
    ...(narrowest !== level && { autonomy: narrowest }),
  };
  return withinLevel(bound, level, around?.autonomy);
}

/** Runs what a chat command does in the folder that a turn of its session would work in. */
export async function inFolder<T>(
  deps: Widest & { readonly registry: Registry },
  message: InboundMessage,
  session: string,
  options: Partial<PromptOptions>,
  work: () => T | Promise<T>,
): Promise<T> {
  const agent = agentOf(deps.registry, message, session, options.agent);
  const bound = agent.then((found) => asAgent(deps, found, { approvals: "none", ...options }));
  return runIn(await bound.then(({ workspace }) => workspace, asError), async () => work());
}
