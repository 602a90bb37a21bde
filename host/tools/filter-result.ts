import {
  Media,
  ResultFilters,
  textOf,
  type FilteredResult,
  type GantryError,
  type MediaRef,
  type Part,
  type ResultFilter,
  type ToolCall,
} from "@gantry/sdk";
import { errors } from "./errors.ts";
import { asError, withTimeout } from "@gantry/sdk/node";
import type { CallDeps, CallOutcome } from "./call.ts";

const filterMs = 10_000;

/** Returns a tool's answer without what the model must not see; records each find. Never throws. */
export async function filterResult(
  deps: CallDeps,
  call: ToolCall,
  outcome: CallOutcome,
): Promise<CallOutcome> {
  const filters = [...(deps.registry.get(ResultFilters)?.values() ?? [])];
  if (filters.length === 0) return outcome;
  try {
    if (outcome.parts === undefined)
      return { ...outcome, text: await filtered(deps, filters, call, outcome.text) };
    const parts: Part[] = [];
    for (const part of outcome.parts) {
      if (part.type === "media" && part.forPerson) await holdBack(deps, filters, call, part.media);
      parts.push(
        part.type === "text" ? { ...part, text: await filtered(deps, filters, call, part.text) } : part,
      );
    }
    return { ...outcome, parts, text: textOf(parts) };
  } catch (error) {
    const withheld = asError(error) as GantryError;
    deps.log.error({ code: withheld.code, tool: call.tool }, withheld.message);
    return { decision: "failed", code: withheld.code, text: withheld.message };
  }
}

/** Throws RESULT_SECRET for a file of which a filter takes something out: it cannot go in part. */
async function holdBack(
  deps: CallDeps,
  filters: readonly ResultFilter[],
  call: ToolCall,
  { id, name = "The file" }: MediaRef,
): Promise<void> {
  const bytes = await deps.registry.get(Media)?.open(id);
  const text = new TextDecoder().decode(bytes);
  if ((await filtered(deps, filters, call, text)) !== text) throw errors.RESULT_SECRET(name);
}

/** Throws RESULT_WITHHELD. */
async function filtered(
  deps: CallDeps,
  filters: readonly ResultFilter[],
  call: ToolCall,
  given: string,
): Promise<string> {
  let text = given;
  for (const filter of filters) {
    try {
      const result = await filteredBy(filter, text, call);
      if (result.found !== undefined) await recordFind(deps, call, result.found);
      text = result.text;
    } catch (error) {
      throw errors.RESULT_WITHHELD(call.tool, filter.name, asError(error));
    }
  }
  return text;
}

async function filteredBy(filter: ResultFilter, text: string, call: ToolCall): Promise<FilteredResult> {
  const work = Promise.resolve().then(() => filter.filter(text, call));
  const filtered: unknown = await withTimeout(filterMs, work, () => new Error("it took too long"));
  const { text: left, found } = (filtered ?? {}) as Partial<FilteredResult>;
  if (typeof left !== "string") throw new Error("it did not answer with a text");
  return found === undefined ? { text: left } : { text: left, found: String(found) };
}

async function recordFind(deps: CallDeps, call: ToolCall, found: string): Promise<void> {
  deps.log.warn({ tool: call.tool, user: call.user }, `Taken out of what ${call.tool} answered: ${found}.`);
  await deps.audit.record({
    event_type: "security_refusal",
    tool: call.tool,
    args: { call: call.id, found },
    result: "taken out of the result",
    user: call.user,
    session_id: call.session,
  });
}
