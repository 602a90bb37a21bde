import { Value } from "typebox/value";
import { type Tool } from "@gantry/sdk";
import { errors } from "../errors.ts";
import { deepFreeze, asError } from "@gantry/sdk/node";

/** Parsed, held to the tool's schema, and frozen; throws TOOL_BAD_ARGS. */
export function parseArguments(tool: Tool, raw: unknown): Readonly<Record<string, unknown>> {
  let args: unknown;
  try {
    args = typeof raw === "string" ? JSON.parse(raw.trim() || "{}") : structuredClone(raw);
  } catch (error) {
    throw errors.TOOL_BAD_ARGS(tool.name, `they are not JSON (${asError(error).message})`);
  }
  const wrong = Value.Errors(tool.input, args)[0];
  if (wrong) throw errors.TOOL_BAD_ARGS(tool.name, `${wrong.instancePath || "the value"} ${wrong.message}.`);
  return deepFreeze(args as Record<string, unknown>);
}

/** Arguments that could not be read, for the record. */
export function readable(args: unknown): Readonly<Record<string, unknown>> {
  return typeof args === "object" && args !== null
    ? (args as Record<string, unknown>)
    : { text: String(args) };
}
