import { Value } from "typebox/value";
import { type Tool } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { asError, deepFreeze, inTime, wrongValue } from "@gantry/sdk/node";

/** The bounds of a call's arguments: above what a model writes, low enough that nobody waits. */
const maxLength = 1024 * 1024;
const maxValues = 20_000;
const maxLevels = 64;

/** Parsed, held to the bounds and to the tool's schema, and frozen; throws TOOL_BAD_ARGS. */
export function parseArguments(tool: Tool, raw: unknown): Readonly<Record<string, unknown>> {
  const { args, wrong: unread } = readArguments(raw);
  if (unread !== undefined) throw errors.TOOL_BAD_ARGS(tool.name, unread);
  const wrong = unfit(tool.input, args);
  if (wrong !== undefined) throw errors.TOOL_BAD_ARGS(tool.name, `${wrong}.`);
  return deepFreeze(args as Record<string, unknown>);
}

/** Returns what does not fit; a plugin or server chose the schema's patterns, a model the texts. */
function unfit(schema: Tool["input"], args: unknown): string | undefined {
  if (!JSON.stringify(schema).includes('"pattern')) return wrongValue(Value.Errors(schema, args));
  let wrong: string | undefined;
  const inItsTime = inTime(() => {
    wrong = wrongValue(Value.Errors(schema, args));
  });
  return inItsTime ? wrong : "they take too long to hold against the patterns of its schema";
}

/** Returns arguments for the record and watchers: as read, else their text or why there is none. */
export function readable(raw: unknown): Readonly<Record<string, unknown>> {
  const { args, wrong } = readArguments(raw);
  if (typeof args === "object" && args !== null && !Array.isArray(args))
    return args as Record<string, unknown>;
  return { text: typeof raw === "string" ? raw.slice(0, maxLength) : (wrong ?? String(raw)) };
}

/** Copies JSON text or a value, or says why not; every door leads here, so all is bounded. */
function readArguments(raw: unknown): { readonly args?: unknown; readonly wrong?: string } {
  if (typeof raw === "string" && raw.length > maxLength) return { wrong: beyond(`${maxLength} characters`) };
  try {
    const given: unknown = typeof raw === "string" ? JSON.parse(raw.trim() || "{}") : raw;
    const wrong = beyondBounds(given);
    return wrong === undefined ? { args: given === raw ? structuredClone(given) : given } : { wrong };
  } catch (error) {
    return { wrong: `they are not JSON (${asError(error).message})` };
  }
}

/** Goes level by level, no further than the bounds: endless nesting needs no stack. */
function beyondBounds(given: unknown): string | undefined {
  let [length, values] = [0, 0];
  let level: unknown[] = [given];
  for (let levels = 0; level.length > 0; levels += 1) {
    values += level.length;
    if (levels > maxLevels) return beyond(`${maxLevels} levels`);
    if (values > maxValues) return beyond(`${maxValues} values`);
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value === "string") length += value.length;
      else if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value)) {
        const keys = Object.keys(value);
        if (values + next.length + keys.length > maxValues) return beyond(`${maxValues} values`);
        for (const key of keys) {
          length += Array.isArray(value) ? 0 : key.length;
          next.push((value as Record<string, unknown>)[key]);
        }
      }
    }
    if (length > maxLength) return beyond(`${maxLength} characters`);
    level = next;
  }
  return undefined;
}

function beyond(bound: string): string {
  return `they hold more than ${bound}; do it in several calls.`;
}
