import { errors as common } from "@gantry/sdk";
import { answerFailure, asCount, asText, DONE, failure, jsonValues, usageEvent } from "@gantry/sdk/provider";
import type { ProviderEvent, StopReason } from "@gantry/sdk";
import { NAME } from "./config.ts";

/** The parts of an answer that are read; all may be missing or wrong. */
interface Chunk {
  readonly candidates?: readonly {
    readonly content?: {
      readonly parts?: readonly { readonly text?: unknown; readonly thought?: unknown }[];
    };
    readonly finishReason?: unknown;
  }[];
  readonly promptFeedback?: { readonly blockReason?: unknown };
  readonly modelVersion?: unknown;
  readonly usageMetadata?: {
    readonly promptTokenCount?: unknown;
    readonly candidatesTokenCount?: unknown;
    readonly cachedContentTokenCount?: unknown;
    readonly thoughtsTokenCount?: unknown;
  };
  readonly error?: { readonly code?: unknown };
  /** The OAuth endpoint nests the answer. */
  readonly response?: Chunk;
}

const STOPS: Readonly<Record<string, StopReason>> = {
  STOP: "EndTurn",
  MAX_TOKENS: "MaxTokens",
  SAFETY: "ContentFilter",
  RECITATION: "ContentFilter",
  BLOCKLIST: "ContentFilter",
  PROHIBITED_CONTENT: "ContentFilter",
  SPII: "ContentFilter",
  IMAGE_SAFETY: "ContentFilter",
  IMAGE_PROHIBITED_CONTENT: "ContentFilter",
  IMAGE_RECITATION: "ContentFilter",
};

/**
 * Streams what a successful answer holds. Thoughts are dropped, but count as a sign of life. Throws
 * what the body throws.
 */
export async function* readAnswer(
  response: Response,
  model: string,
  secrets: readonly string[],
): AsyncGenerator<ProviderEvent, void> {
  const state: { shown: boolean; finish?: string; usage?: ProviderEvent } = { shown: false };
  for await (const outer of chunksOf(response)) {
    const chunk = object(outer.response ?? outer);
    if (chunk.error) {
      const status = Number(object(chunk.error).code);
      const body = JSON.stringify({ error: chunk.error });
      yield {
        type: "error",
        failure: answerFailure({
          provider: NAME,
          model,
          status: status >= 400 ? status : 500,
          body,
          secrets,
        }),
      };
      return;
    }
    state.usage = usageOf(chunk) ?? state.usage;
    const candidate = object(list(chunk.candidates)[0]);
    for (const part of list(object(candidate.content).parts)) {
      const { text, thought } = object(part);
      if (typeof text !== "string") continue;
      if (thought !== true && text !== "") state.shown = true;
      yield { type: thought === true ? "thought" : "text", text };
    }
    if (typeof candidate.finishReason === "string") state.finish = candidate.finishReason;
    else if (typeof object(chunk.promptFeedback).blockReason === "string") state.finish = "SAFETY";
  }
  if (state.usage) yield state.usage;
  // A whole answer may leave the reason out; a stream without one was cut off.
  yield ending(state.finish ?? (state.shown && !isStream(response) ? "STOP" : undefined), state.shown);
}

function isStream({ headers }: Response): boolean {
  return /event-stream/i.test(headers.get("content-type") ?? "");
}

/**
 * The chunks of an answer: server-sent events, one object, or a list of them. Throws
 * `PROVIDER_MALFORMED`.
 */
async function* chunksOf({ body }: Response): AsyncGenerator<Chunk, void> {
  for await (const value of jsonValues(body ?? ReadableStream.from([]), NAME)) {
    if (value === DONE) continue;
    yield* (Array.isArray(value) ? value : [value]).map((chunk) => object(chunk));
  }
}

function ending(finish: string | undefined, shown: boolean): ProviderEvent {
  if (finish === undefined) {
    return {
      type: "error",
      failure: failure(common.PROVIDER_MALFORMED(NAME, "it broke off without a finishReason"), true),
    };
  }
  const known = Object.hasOwn(STOPS, finish) ? STOPS[finish] : undefined;
  if (known) return { type: "stop", reason: known };
  if (shown) return { type: "stop", reason: "EndTurn" };
  const reason = finish.replace(/\W/g, "").slice(0, 60);
  return {
    type: "error",
    failure: failure(common.PROVIDER_MALFORMED(NAME, `it stopped with ${reason} and no text`), true),
  };
}

function usageOf({ usageMetadata, modelVersion }: Chunk): ProviderEvent | undefined {
  const { promptTokenCount, candidatesTokenCount, cachedContentTokenCount, thoughtsTokenCount } =
    object(usageMetadata);
  if (promptTokenCount === undefined && candidatesTokenCount === undefined) return undefined;
  // Thoughts are paid for and stand beside the candidates.
  const [event] = usageEvent({
    input: asCount(promptTokenCount),
    output: (asCount(candidatesTokenCount) ?? 0) + (asCount(thoughtsTokenCount) ?? 0),
    cached: asCount(cachedContentTokenCount),
    reasoning: asCount(thoughtsTokenCount),
    model: asText(modelVersion),
  });
  return event;
}

function object<T extends object>(value: T | undefined): Partial<T>;
function object(value: unknown): Chunk;
function object(value: unknown): object {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
function list<T>(value: readonly T[] | undefined): readonly T[] {
  return Array.isArray(value) ? value : [];
}
