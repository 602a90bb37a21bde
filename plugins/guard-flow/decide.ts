import { existsSync } from "node:fs";
import { ask, type Question, type ToolCall } from "@gantry/sdk";
import { errors } from "./errors.ts";

/** As many of each are named; the person wants the kinds, not a list. */
const NAMED = 3;

/**
 * Asks before a way out is used in a conversation that holds material from outside and private
 * data. What the call itself reads counts as private data, since it can leave with the same call;
 * what it would bring back does not count.
 */
export function decide(call: ToolCall): Question | undefined {
  if (call.shared === true) return shared(call);
  const out = waysOut(call);
  if (out.length === 0) return undefined;

  const { material = [], private: held = [] } = call.sources ?? {};
  const own = [...new Set([...held, ...readBy(call)])];
  if (material.length === 0 || own.length === 0) return undefined;
  return ask(errors.FLOW_MET(call.tool, some(out), some(material), some(own)));
}

/** Asks before the second of both comes into a conversation of which each answer is a way out. */
function shared(call: ToolCall): Question | undefined {
  const own = ownBy(call);
  // A recipient brings nothing back.
  const brought = [...waysOut(call, []), ...(call.effects.brings?.material ?? [])];
  if (own.length + brought.length === 0) return undefined;
  const { material = [], private: held = [] } = call.sources ?? {};
  const met = [...new Set([...material, ...brought])];
  const ownMet = [...new Set([...held, ...own])];
  if (met.length === 0 || ownMet.length === 0) return undefined;
  return ask(errors.FLOW_SHARED(call.tool, some([...own, ...brought]), some(met), some(ownMet)));
}

/** The error of a tool that did not change a file may tell what stands there. */
function ownBy(call: ToolCall): readonly string[] {
  const isChanged = call.effects.paths.some(({ resolved }) => existsSync(resolved));
  return [...new Set([...(isChanged ? ["files of the workspace"] : []), ...readBy(call)])];
}

/**
 * Returns the ways by which a call could carry something out, each in a few words; `recipients` are
 * those that count.
 */
function waysOut(
  { effects, network, hints, source, tool }: ToolCall,
  recipients: readonly string[] = effects.recipients ?? [],
): readonly string[] {
  const { urls, unknown } = effects;
  const isForeign = hints?.openWorld === true || source !== undefined;
  return [
    ...urls.map(hostOf),
    ...recipients.map((to) => `a message to ${to}`),
    ...(network === true ? ["a command with network"] : []),
    ...(isForeign ? [`the service behind ${tool}`] : []),
    ...(unknown === true ? ["nobody knows where"] : []),
  ];
}

function readBy({ effects }: ToolCall): readonly string[] {
  const { paths, commands, brings } = effects;
  const reads = commands.length > 0 || paths.some(({ access }) => access === "read");
  return [...(reads ? ["files of the workspace"] : []), ...(brings?.private ?? [])];
}

function some(names: readonly string[]): string {
  const more = names.length - NAMED;
  return names.slice(0, NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url.slice(0, 80);
}
