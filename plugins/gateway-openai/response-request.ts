import { BadRequest } from "./bad-request.ts";
import { isPlain } from "./models.ts";
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

/** What is read of a request for a response. */
export interface ResponseRequest extends AskedOfModel {
  readonly items: readonly Sent[];
  readonly previous: string | undefined;
  readonly instructions: string | undefined;
  readonly store: boolean;
  /** The parameters as they were sent, which the response repeats. */
  readonly sent: Sent;
}

/** Parameters that are read, and those that change nothing in an answer. */
const taken = new Set([
  "model",
  "input",
  "instructions",
  "previous_response_id",
  "tools",
  "tool_choice",
  "stream",
  "store",
  "temperature",
  "max_output_tokens",
  "metadata",
  "prompt_cache_key",
  "prompt_cache_retention",
  "safety_identifier",
  "service_tier",
  "user",
]);

const labels = ["prompt_cache_key", "safety_identifier", "service_tier", "user"] as const;

/** What cannot be done, though some values ask for what is done anyway. */
const neutral: Readonly<Record<string, Neutral>> = {
  background: (value) => value === false,
  frequency_penalty: (value) => value === 0,
  // No answer holds a reasoning that could be included.
  include: (value) => Array.isArray(value) && value.every((one) => one === "reasoning.encrypted_content"),
  parallel_tool_calls: (value, body) => value === true || sentTools(body).length === 0,
  presence_penalty: (value) => value === 0,
  reasoning: (value) => holdsOnly(value, { effort: () => true, summary: (one) => one === "auto" }),
  stream_options: (value) => holdsOnly(value, { include_obfuscation: (one) => one === false }),
  text: (value) => holdsOnly(value, { format: isTextFormat, verbosity: (one) => one === "medium" }),
  top_logprobs: (value) => value === 0,
  top_p: (value) => value === 1,
  truncation: (value) => value === "auto",
};

/** Throws {@link BadRequest}. */
export function readResponseRequest(body: Sent): ResponseRequest {
  checkParameters(body, taken, neutral);
  checkMetadata(body["metadata"]);
  for (const name of labels) textIn(body, name);
  const { reasoning } = body;
  const model = modelIn(body);
  const tools = sentTools(body).map((tool, at) => toolOf(tool, `tools[${at}]`));
  return {
    model,
    items: itemsIn(body),
    previous: textIn(body, "previous_response_id"),
    instructions: textIn(body, "instructions"),
    tools,
    stream: flagIn(body, "stream") ?? false,
    choice: choiceIn(body, tools),
    maxTokens: countIn(body, "max_output_tokens"),
    temperature: temperatureIn(body),
    effort: effortIn(isObject(reasoning) ? reasoning["effort"] : undefined, "reasoning.effort"),
    store: flagIn(body, "store") ?? !isPlain(model),
    sent: body,
  };
}

/** Returns the items of the input; a text is one of the user. */
function itemsIn({ input }: Sent): readonly Sent[] {
  if (typeof input === "string") return [{ type: "message", role: "user", content: input }];
  if (input === undefined || input === null) return [];
  if (!Array.isArray(input)) throw new BadRequest("input", "is neither text nor a list of items");
  return input.map((item: unknown, at) => {
    if (isObject(item)) return item;
    throw new BadRequest(`input[${at}]`, "is no item");
  });
}

function toolOf(tool: unknown, where: string): ReturnType<typeof toolIn> {
  if (isObject(tool) && tool["type"] === "function") return toolIn(tool, where);
  throw new BadRequest(where, "is no function, and this server has no tools of that type");
}

function textIn(body: Sent, name: string): string | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined || typeof value === "string") return value;
  throw new BadRequest(name, "is no text");
}

function flagIn(body: Sent, name: string): boolean | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined || typeof value === "boolean") return value;
  throw new BadRequest(name, "is neither true nor false");
}

function checkMetadata(metadata: unknown): void {
  if (metadata === undefined || metadata === null) return;
  const pairs = isObject(metadata) ? Object.entries(metadata) : undefined;
  if (!pairs || pairs.length > 16 || !pairs.every(isShortPair))
    throw new BadRequest("metadata", "is not up to 16 pairs of a short key and a text");
}

function isShortPair([key, value]: readonly [string, unknown]): boolean {
  return key.length <= 64 && typeof value === "string" && value.length <= 512;
}

type Members = Readonly<Record<string, (value: unknown) => boolean>>;

function holdsOnly(value: unknown, members: Members): boolean {
  if (!isObject(value)) return false;
  return Object.entries(value).every(
    ([key, one]) =>
      one === null || one === undefined || (Object.hasOwn(members, key) && members[key]?.(one) === true),
  );
}

function isTextFormat(value: unknown): boolean {
  return isObject(value) && value["type"] === "text" && Object.keys(value).length === 1;
}
