import type { SentMessage } from "./history.ts";
import { BadRequest } from "./bad-request.ts";
import {
  checkParameters,
  choiceIn,
  countIn,
  effortIn,
  isObject,
  modelIn,
  sentTools,
  temperatureIn,
  toolIn,
  type AskedOfModel,
  type Neutral,
  type Sent,
} from "./parameters.ts";

/** What is read of a request. */
export interface ChatRequest extends AskedOfModel {
  readonly messages: readonly SentMessage[];
  readonly includeUsage: boolean;
  /** Who the client says asks. */
  readonly user: string | undefined;
}

/** Parameters that are read, and those that change nothing in an answer. */
const taken = new Set([
  "model",
  "messages",
  "tools",
  "tool_choice",
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
const neutral: Readonly<Record<string, Neutral>> = {
  n: (value) => value === 1,
  logprobs: (value) => value === false,
  top_logprobs: (value) => value === 0,
  modalities: (value) => JSON.stringify(value) === '["text"]',
  response_format: (value) => isObject(value) && value["type"] === "text",
  parallel_tool_calls: (value, body) => value === true || sentTools(body).length === 0,
  top_p: (value) => value === 1,
  presence_penalty: (value) => value === 0,
  frequency_penalty: (value) => value === 0,
  logit_bias: (value) => JSON.stringify(value) === "{}",
  stop: (value) => JSON.stringify(value) === "[]",
  verbosity: (value) => value === "medium",
};

/** Throws {@link BadRequest}. */
export function readRequest(body: Sent): ChatRequest {
  checkParameters(body, taken, neutral);
  const { messages, user, stream_options: options } = body;
  const model = modelIn(body);
  const tools = sentTools(body).map(toolOf);
  if (!Array.isArray(messages) || messages.length === 0)
    throw new BadRequest("messages", "is no list of messages");
  return {
    model,
    messages: messages.map(messageOf),
    tools,
    stream: body["stream"] === true,
    includeUsage: isObject(options) && options["include_usage"] === true,
    choice: choiceIn(body, tools),
    maxTokens: countIn(body, "max_completion_tokens") ?? countIn(body, "max_tokens"),
    temperature: temperatureIn(body),
    effort: effortIn(body["reasoning_effort"], "reasoning_effort"),
    user: typeof user === "string" && user !== "" ? user : undefined,
  };
}

function messageOf(message: unknown, at: number): SentMessage {
  const roles = ["system", "developer", "user", "assistant", "tool"];
  const where = `messages[${at}]`;
  if (isObject(message) && roles.includes(String(message["role"])))
    return { ...message, role: String(message["role"]), where };
  throw new BadRequest(`${where}.role`, `is none of ${roles.join(", ")}`);
}

function toolOf(tool: unknown, at: number): ReturnType<typeof toolIn> {
  const given = isObject(tool) && tool["type"] === "function" ? tool["function"] : undefined;
  return toolIn(given, `tools[${at}]`);
}
