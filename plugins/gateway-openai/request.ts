import type { SentMessage } from "./history.ts";
import { BadRequest } from "./bad-request.ts";
import {
  askedIn,
  checkParameters,
  countIn,
  effortIn,
  isObject,
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

/** Parameters of chat completions alone that are read, and those that change nothing. */
const taken = [
  "messages",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "reasoning_effort",
  "prediction",
];

const neutral: Readonly<Record<string, Neutral>> = {
  n: (value) => value === 1,
  logprobs: (value) => value === false,
  modalities: (value) => JSON.stringify(value) === '["text"]',
  response_format: (value) => isObject(value) && value["type"] === "text",
  logit_bias: (value) => JSON.stringify(value) === "{}",
  stop: (value) => JSON.stringify(value) === "[]",
  verbosity: (value) => value === "medium",
};

/** Throws {@link BadRequest}. */
export function readRequest(body: Sent): ChatRequest {
  checkParameters(body, { taken, neutral });
  const { messages, user, stream_options: options } = body;
  const asked = askedIn(body, toolOf);
  if (!Array.isArray(messages) || messages.length === 0)
    throw new BadRequest("messages", "is no list of messages");
  return {
    ...asked,
    messages: messages.map(messageOf),
    stream: body["stream"] === true,
    includeUsage: isObject(options) && options["include_usage"] === true,
    maxTokens: countIn(body, "max_completion_tokens") ?? countIn(body, "max_tokens"),
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

function toolOf(tool: unknown, where: string): ReturnType<typeof toolIn> {
  return toolIn(isObject(tool) && tool["type"] === "function" ? tool["function"] : undefined, where);
}
