import { overflowOf } from "@gantry/sdk/provider";

/**
 * A field that a request can do without; `max_tokens` has `max_completion_tokens` in its place,
 * then nothing.
 */
export type OptionalField =
  | "stream_options"
  | "temperature"
  | "effort"
  | "max_tokens"
  | "max_completion_tokens"
  | `media for ${string}`;
export type Refused = ReadonlySet<OptionalField>;

type Body = Readonly<Record<string, unknown>>;

/** A field that was refused; `once` where the server takes it with a shorter conversation. */
export interface Refusal {
  readonly field: OptionalField;
  readonly once: boolean;
}

const NOT_TAKEN =
  /not (?:supported|support|permitted|allowed)|does not support|unsupported|only the default|deprecated|unknown|unrecogni[sz]ed|unexpected|extra/i;
const LIMIT = /max(?:imum)?[ _](?:completion_|new_|output_)?tokens/i;
const OF_THE_ANSWER = /max_(?:completion_|new_|output_)?tokens|\bcompletion\b|output tokens/i;
const OF_THE_PROMPT =
  /(\d+) (?:tokens )?(?:in|from) the (?:messages|prompt|input)|resulted in (\d+) tokens|"n_prompt_tokens"\s*:\s*(\d+)/i;

/**
 * Returns the field that a server's refusal (its text) speaks of, if the request can be sent again
 * without it; undefined if the refusal is about something else. A server that refuses a field
 * without naming it is first spared `stream_options`.
 */
export function refusedField(text: string, sent: Body): Refusal | undefined {
  const limit = Number(sent.max_tokens ?? sent.max_completion_tokens ?? 0);
  if ("max_tokens" in sent && text.includes("max_completion_tokens") && NOT_TAKEN.test(text))
    return lasting("max_tokens");
  const tooLong = overflowOf(text);
  if (tooLong) return limit > 0 ? withoutLimit(text, limit, tooLong.window) : undefined;
  if (limit > 0 && LIMIT.test(text)) return lasting("max_completion_tokens");
  if (!NOT_TAKEN.test(text)) return undefined;
  if (("reasoning_effort" in sent || "reasoning" in sent) && /reasoning|effort/.test(text))
    return lasting("effort");
  if ("temperature" in sent && text.includes("temperature")) return lasting("temperature");
  const other = /tools|tool_choice|messages|model/.test(text) && !text.includes("stream_options");
  return "stream_options" in sent && !other ? lasting("stream_options") : undefined;
}

/**
 * Conversation and answer together do not fit: without a bound for the answer they may, unless the
 * conversation alone is too long.
 */
function withoutLimit(text: string, limit: number, window: number | undefined): Refusal | undefined {
  const [, ...counts] = OF_THE_PROMPT.exec(text) ?? [];
  const prompt = Number(counts.find((count) => count !== undefined) ?? 0);
  if (!OF_THE_ANSWER.test(text) || (window !== undefined && prompt >= window)) return undefined;
  return { field: "max_completion_tokens", once: window === undefined || limit < window };
}

/** Pictures are refused by a model, not by its server. */
export function mediaFor(model: string | undefined): OptionalField {
  return `media for ${model ?? ""}`;
}

const PICTURES = /\bimages?\b|image_url|vision|multi-?modal|mmproj/i;
const NOT_SEEN =
  /not (?:supported|support|enabled|allowed|accept)|n't support|cannot|unsupported|no endpoints|only (?:supports? )?text|must be a string|expected (?:a )?string|invalid content type|unknown variant/i;

/** A refusal (its text) of a request that brought pictures, because the model sees none. */
export function refusesMedia(text: string): boolean {
  return PICTURES.test(text) && NOT_SEEN.test(text);
}

function lasting(field: OptionalField): Refusal {
  return { field, once: false };
}
