import type { ToolSpec } from "@gantry/sdk";
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
  readonly maxTokens: number | undefined;
  /** Who the client says asks. */
  readonly user: string | undefined;
}

type Sent = Readonly<Record<string, unknown>>;

/** What would change the answer and is not there is refused, rather than left out in silence. */
const refused: Readonly<Record<string, (value: unknown) => boolean>> = {
  n: (value) => value !== 1,
  logprobs: (value) => value === true,
  functions: () => true,
  function_call: () => true,
  modalities: (value) => JSON.stringify(value) !== '["text"]',
  audio: () => true,
  response_format: (value) => (value as Sent | undefined)?.["type"] !== "text",
  tool_choice: (value) => value !== "auto",
};

/** Throws {@link BadRequest}. */
export function readRequest(body: unknown): ChatRequest {
  if (!isObject(body)) throw new BadRequest("body", "is no JSON object");
  for (const [name, isRefused] of Object.entries(refused)) {
    const value = body[name];
    if (value !== undefined && value !== null && isRefused(value))
      throw new BadRequest(name, "asks for what this server does not do");
  }
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
    maxTokens: countOf(body["max_completion_tokens"] ?? body["max_tokens"]),
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

export function isObject(value: unknown): value is Sent {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
