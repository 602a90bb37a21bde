import type { PromptOptions, ToolSpec } from "@gantry/sdk";
import { BadRequest } from "./bad-request.ts";

/** One message as clients send it; what stands in it is looked at where it is read. */
export interface SentMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: unknown;
  readonly tool_call_id?: unknown;
}

/** What is read of a request. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly SentMessage[];
  readonly tools: readonly ToolSpec[];
  readonly stream: boolean;
  readonly includeUsage: boolean;
  /** False: no tool is called, neither one of the client's nor one of the agent's. */
  readonly mayCall: boolean;
  readonly maxTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly effort: Effort | undefined;
  /** Who the client says asks. */
  readonly user: string | undefined;
}

type Sent = Readonly<Record<string, unknown>>;

type Effort = NonNullable<PromptOptions["effort"]>;

/** Parameters that are read, and those that change nothing in an answer. */
const taken = new Set([
  "model",
  "messages",
  "tools",
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "temperature",
  "reasoning_effort",
  "user",
  "metadata",
  "prediction",
  "prompt_cache_key",
  "prompt_cache_retention",
  "safety_identifier",
  "service_tier",
  "store",
]);

/** What cannot be done, though one value of each asks for what is done anyway. */
const neutral: Readonly<Record<string, (value: unknown, body: Sent) => boolean>> = {
  n: (value) => value === 1,
  logprobs: (value) => value === false,
  top_logprobs: (value) => value === 0,
  modalities: (value) => JSON.stringify(value) === '["text"]',
  response_format: (value) => isObject(value) && value["type"] === "text",
  tool_choice: (value) => value === "auto" || value === "none",
  parallel_tool_calls: (value, { tools }) => value === true || toolsOf(tools).length === 0,
  top_p: (value) => value === 1,
  presence_penalty: (value) => value === 0,
  frequency_penalty: (value) => value === 0,
  logit_bias: (value) => JSON.stringify(value) === "{}",
  stop: (value) => JSON.stringify(value) === "[]",
  verbosity: (value) => value === "medium",
};

const efforts: readonly unknown[] = ["minimal", "low", "medium", "high"] satisfies readonly Effort[];

/** Throws {@link BadRequest}. */
export function readRequest(body: unknown): ChatRequest {
  if (!isObject(body)) throw new BadRequest("body", "is no JSON object");
  for (const [name, value] of Object.entries(body))
    if (value !== null && !taken.has(name) && neutral[name]?.(value, body) !== true)
      throw new BadRequest(name, "asks for what this server does not do");
  const { model, messages, stream_options: options } = body;
  if (typeof model !== "string" || model === "") throw new BadRequest("model", "is missing");
  if (!Array.isArray(messages) || messages.length === 0)
    throw new BadRequest("messages", "is no list of messages");
  return {
    model,
    messages: messages.map(messageOf),
    tools: toolsOf(body["tools"]),
    stream: body["stream"] === true,
    includeUsage: isObject(options) && options["include_usage"] === true,
    mayCall: body["tool_choice"] !== "none",
    maxTokens: countOf(body["max_completion_tokens"] ?? body["max_tokens"]),
    temperature: temperatureOf(body["temperature"]),
    effort: effortOf(body["reasoning_effort"]),
    user: typeof body["user"] === "string" && body["user"] !== "" ? body["user"] : undefined,
  };
}

function messageOf(message: unknown, at: number): SentMessage {
  const roles = ["system", "developer", "user", "assistant", "tool"];
  if (isObject(message) && roles.includes(String(message["role"]))) return message as unknown as SentMessage;
  throw new BadRequest(`messages[${at}].role`, `is none of ${roles.join(", ")}`);
}

function toolsOf(tools: unknown): readonly ToolSpec[] {
  if (tools === undefined || tools === null) return [];
  if (!Array.isArray(tools)) throw new BadRequest("tools", "is no list");
  return tools.map((tool: unknown, at) => {
    const given = isObject(tool) && tool["type"] === "function" ? tool["function"] : undefined;
    const name = isObject(given) ? given["name"] : undefined;
    if (!isObject(given) || typeof name !== "string" || !/^[\w-]{1,64}$/.test(name))
      throw new BadRequest(`tools[${at}]`, "is no function with a name of letters, digits, _ and -");
    const { description = "", parameters = { type: "object", properties: {} } } = given;
    return { name, description: String(description), input: parameters as ToolSpec["input"] };
  });
}

function countOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (Number.isInteger(value) && (value as number) > 0) return value as number;
  throw new BadRequest("max_tokens", "is no number of tokens");
}

function temperatureOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && value >= 0 && value <= 2) return value;
  throw new BadRequest("temperature", "is no number from 0 to 2");
}

function effortOf(value: unknown): Effort | undefined {
  if (value === undefined || value === null) return undefined;
  if (efforts.includes(value)) return value as Effort;
  throw new BadRequest("reasoning_effort", `is none of ${efforts.join(", ")}`);
}

export function isObject(value: unknown): value is Sent {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
