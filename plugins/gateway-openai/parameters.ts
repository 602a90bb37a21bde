import type { PromptOptions, ToolSpec } from "@gantry/sdk";
import { BadRequest } from "./bad-request.ts";

export type Sent = Readonly<Record<string, unknown>>;

export type Effort = NonNullable<PromptOptions["effort"]>;

/** The demands of a request of either form on the model. */
export interface AskedOfModel {
  readonly model: string;
  readonly tools: readonly ToolSpec[];
  readonly stream: boolean;
  readonly choice: ToolChoice;
  /** At most one call of the client's tools comes back. */
  readonly oneCall: boolean;
  readonly maxTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly effort: Effort | undefined;
}

/** Which of the client's tools are offered, and whether one of them has to be called. */
export interface ToolChoice {
  /** `none`: no tool is called, the agent's neither. `required`: one of the client's is. */
  readonly mode: "auto" | "none" | "required";
  /** Undefined: all of them. */
  readonly names?: readonly unknown[];
}

/** True for a value that asks for what is done. */
export type Neutral = (value: unknown) => boolean;

const efforts: readonly unknown[] = ["minimal", "low", "medium", "high"] satisfies readonly Effort[];

export function isObject(value: unknown): value is Sent {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the body as an object; throws {@link BadRequest}. */
export function parsedBody(bytes: Uint8Array): Sent {
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new BadRequest("body", "is not JSON");
  }
  if (!isObject(body)) throw new BadRequest("body", "is not a JSON object");
  return body;
}

/** Parameters of both APIs that are read, and those that change nothing in an answer. */
const taken = [
  "model",
  "tools",
  "tool_choice",
  "stream",
  "temperature",
  "user",
  "metadata",
  "prompt_cache_key",
  "prompt_cache_retention",
  "safety_identifier",
  "service_tier",
  "store",
];

/** Parameters that neither API can follow, but for the values that ask for what is done. */
const neutral: Readonly<Record<string, Neutral>> = {
  frequency_penalty: (value) => value === 0,
  parallel_tool_calls: (value) => typeof value === "boolean",
  presence_penalty: (value) => value === 0,
  top_logprobs: (value) => value === 0,
  top_p: (value) => value === 1,
};

/**
 * Throws {@link BadRequest} for a parameter that is neither taken nor neutral: in both APIs, or in
 * the one of these.
 */
export function checkParameters(
  body: Sent,
  own: { readonly taken: readonly string[]; readonly neutral: Readonly<Record<string, Neutral>> },
): void {
  const known = new Set([...taken, ...own.taken]);
  const values = { ...neutral, ...own.neutral };
  for (const [name, value] of Object.entries(body)) {
    if (value === null || known.has(name)) continue;
    const isNeutral = Object.hasOwn(values, name) ? values[name] : undefined;
    if (isNeutral?.(value) !== true) throw new BadRequest(name, "asks for what this server does not do");
  }
}

/** Reads `tool_choice` as either API writes it; throws {@link BadRequest}. */
function choiceIn({ tool_choice: value }: Sent, tools: readonly ToolSpec[]): ToolChoice {
  const { mode, names } = statedChoice(value ?? "auto");
  if (mode !== "auto" && mode !== "none" && mode !== "required")
    throw new BadRequest("tool_choice", "asks for what this server does not do");
  if (names?.some((wanted) => tools.every(({ name }) => name !== wanted)))
    throw new BadRequest("tool_choice", "names a function that is not in `tools`");
  if (mode === "required" && (names ?? tools).length === 0)
    throw new BadRequest("tool_choice", "asks for a call, and there is no function to call");
  return { mode, ...(names && { names }) };
}

function statedChoice(value: unknown): { readonly mode: unknown; readonly names?: readonly unknown[] } {
  if (!isObject(value)) return { mode: value };
  const { type } = value;
  // A chat completion has it a level deeper than a response.
  const inner = value[String(type)];
  const { name, mode, tools } = isObject(inner) ? inner : value;
  if (type === "function") return { mode: "required", names: [name] };
  if (type !== "allowed_tools" || !Array.isArray(tools)) return { mode: undefined };
  const nameOf = (tool: unknown): unknown =>
    isObject(tool) ? (isObject(tool["function"]) ? tool["function"] : tool)["name"] : undefined;
  return { mode, names: tools.map(nameOf) };
}

function modelIn({ model }: Sent): string {
  if (typeof model !== "string" || model === "") throw new BadRequest("model", "is missing");
  return model;
}

/** Returns the tool that `given` describes. */
export function toolIn(given: unknown, where: string): ToolSpec {
  const name = isObject(given) ? given["name"] : undefined;
  if (!isObject(given) || typeof name !== "string" || !/^[\w-]{1,64}$/.test(name))
    throw new BadRequest(where, "is not a function with a name of letters, digits, _ and -");
  const parameters = given["parameters"] ?? { type: "object", properties: {} };
  const description = String(given["description"] ?? "");
  return { name, description, input: parameters as ToolSpec["input"] };
}

/** Reads what both APIs write alike; `toolOf` reads one of the tools. Throws {@link BadRequest}. */
export function askedIn(
  body: Sent,
  toolOf: (tool: unknown, where: string) => ToolSpec,
): Pick<AskedOfModel, "model" | "tools" | "choice" | "oneCall" | "temperature"> {
  const model = modelIn(body);
  const tools = sentTools(body).map((tool, at) => toolOf(tool, `tools[${at}]`));
  const oneCall = body["parallel_tool_calls"] === false;
  return { model, tools, choice: choiceIn(body, tools), oneCall, temperature: temperatureIn(body) };
}

/** Returns the list of tools that are sent as `tools`. */
function sentTools({ tools }: Sent): readonly unknown[] {
  if (tools === undefined || tools === null) return [];
  if (!Array.isArray(tools)) throw new BadRequest("tools", "is not a list");
  return tools;
}

export function countIn(body: Sent, name: string): number | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined) return undefined;
  if (Number.isInteger(value) && (value as number) > 0) return value as number;
  throw new BadRequest(name, "is not a number of tokens");
}

function temperatureIn({ temperature: value }: Sent): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && value >= 0 && value <= 2) return value;
  throw new BadRequest("temperature", "is not a number from 0 to 2");
}

export function effortIn(value: unknown, name: string): Effort | undefined {
  if (value === undefined || value === null) return undefined;
  if (efforts.includes(value)) return value as Effort;
  throw new BadRequest(name, `is none of ${efforts.join(", ")}`);
}
