import { BadRequest } from "./bad-request.ts";
import { isPlain } from "./models.ts";
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

/** The parts of a request for a response that are read. */
export interface ResponseRequest extends AskedOfModel {
  readonly items: readonly Sent[];
  readonly previous: string | undefined;
  readonly instructions: string | undefined;
  readonly store: boolean;
  /** If given, the response holds what the model thinks, as far as its provider gives that. */
  readonly summary: string | undefined;
  /** The parameters as they were sent, which the response repeats. */
  readonly sent: Sent;
}

/** Parameters of responses alone that are read. */
const taken = ["input", "instructions", "previous_response_id", "max_output_tokens"];

const labels = ["prompt_cache_key", "safety_identifier", "service_tier", "user"] as const;

const neutral: Readonly<Record<string, Neutral>> = {
  background: (value) => value === false,
  // No answer holds a sealed reasoning that could be included.
  include: (value) => Array.isArray(value) && value.every((one) => one === "reasoning.encrypted_content"),
  reasoning: (value) => holdsOnly(value, { effort: () => true, summary: isSummary }),
  stream_options: (value) => holdsOnly(value, { include_obfuscation: (one) => one === false }),
  text: (value) => holdsOnly(value, { format: isTextFormat, verbosity: (one) => one === "medium" }),
  truncation: (value) => value === "auto",
};

/** Throws {@link BadRequest}. */
export function readResponseRequest(body: Sent): ResponseRequest {
  checkParameters(body, { taken, neutral });
  checkMetadata(body["metadata"]);
  for (const name of labels) textIn(body, name);
  const { reasoning } = body;
  const asked = askedIn(body, toolOf);
  return {
    ...asked,
    items: itemsIn(body),
    previous: textIn(body, "previous_response_id"),
    instructions: textIn(body, "instructions"),
    stream: flagIn(body, "stream") ?? false,
    maxTokens: countIn(body, "max_output_tokens"),
    summary: isObject(reasoning) ? textIn(reasoning, "summary") : undefined,
    effort: effortIn(isObject(reasoning) ? reasoning["effort"] : undefined, "reasoning.effort"),
    store: flagIn(body, "store") ?? !isPlain(asked.model),
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
    throw new BadRequest(`input[${at}]`, "is not an item");
  });
}

function toolOf(tool: unknown, where: string): ReturnType<typeof toolIn> {
  if (isObject(tool) && tool["type"] === "function") return toolIn(tool, where);
  throw new BadRequest(where, "is not a function, and this server has no tools of that type");
}

function textIn(body: Sent, name: string): string | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined || typeof value === "string") return value;
  throw new BadRequest(name, "is not a string");
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

/** True for the words that ask for thoughts as they are given; none makes them shorter. */
function isSummary(value: unknown): boolean {
  return value === "auto" || value === "detailed";
}

function isTextFormat(value: unknown): boolean {
  return isObject(value) && value["type"] === "text" && Object.keys(value).length === 1;
}
