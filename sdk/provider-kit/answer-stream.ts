import { errors } from "../contract/codes.ts";
import { failure, thrownFailure } from "./failure.ts";
import type { ProviderEvent, ProviderFailure } from "../models/provider.ts";

/**
 * The time that the usage may take after the reason to stop, and the end of the body after the last
 * event.
 */
const USAGE_MS = 2_000;
const CLOSE_MS = 250;
/** An answer as a whole may take this many times the limit between two pieces of it. */
export const WHOLE_ANSWER = 10;

const maxModelName = 200;

/** A piece that shows nothing (a thought, a part of a call) is still a sign of life. */
const ALIVE: ProviderEvent = Object.freeze({ type: "text", text: "" });

/** Turns what a server sends into events. Pure: no clock, no network. */
export interface AnswerReader {
  /** Returns the events of one JSON value. */
  take(value: unknown): readonly ProviderEvent[];
  /**
   * Returns the closing events, once the server has said all; nothing if they were given already.
   */
  end(): readonly ProviderEvent[];
  /** The reason to stop is known; only the usage may follow. */
  readonly closing: boolean;
  /** The last event has been given. */
  readonly over: boolean;
}

export interface AnswerStream {
  /** The provider, as it is named to people. */
  readonly provider: string;
  /** For the headers, and between two pieces of the body. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly reader: AnswerReader;
  /** Asks; resolves to an answer with a good status, or why there is none. May throw `NET_*`. */
  send(signal: AbortSignal): Promise<Response | ProviderFailure>;
  /** Yields the JSON values of a body, as they come. May throw coded errors. */
  values(body: AsyncIterable<Uint8Array>): AsyncIterable<unknown>;
}

/**
 * Yields one request and its answer as the events of a provider: never throws, is bounded in time,
 * and has exactly one `stop` or `error` at its end.
 */
export async function* streamAnswer({
  provider,
  timeoutMs,
  signal,
  reader,
  send,
  values,
}: AnswerStream): AsyncGenerator<ProviderEvent, void> {
  const end = new AbortController();
  const abort = () => end.abort();
  const timers = [setTimeout(abort, timeoutMs * WHOLE_ANSWER)];
  let rest: AsyncIterator<Uint8Array> | undefined;
  try {
    const answer = await send(AbortSignal.any([signal, end.signal]));
    if (!("ok" in answer)) return yield { type: "error", failure: answer };
    rest = bodyOf(answer)[Symbol.asyncIterator]();
    for await (const value of values(left(rest))) {
      const wasClosing = reader.closing;
      const events = reader.take(value);
      yield* events.length > 0 ? events : [ALIVE];
      if (reader.over) return;
      if (reader.closing && !wasClosing) timers.push(setTimeout(abort, USAGE_MS));
    }
    yield* reader.end();
  } catch (error) {
    if (reader.closing && !signal.aborted) yield* reader.end();
    else if (end.signal.aborted && !signal.aborted)
      yield failed(errors.PROVIDER_TIMEOUT(provider, (timeoutMs * WHOLE_ANSWER) / 1000));
    else if (rest && !signal.aborted && (error as { code?: string }).code === "NET_REFUSED")
      yield cutAnswer(provider);
    else yield { type: "error", failure: thrownFailure(provider, error, signal, timeoutMs / 1000) };
  } finally {
    for (const timer of timers) clearTimeout(timer);
    if (rest && reader.over) void drain(rest, abort);
    else abort();
  }
}

/** Returns the last event of an answer that ended in the middle. */
export function cutAnswer(provider: string): ProviderEvent {
  return failed(errors.PROVIDER_MALFORMED(provider, "it broke off before its end"));
}

/** Returns the last event of an answer that said nothing. */
export function emptyAnswer(provider: string): ProviderEvent {
  return failed(errors.PROVIDER_EMPTY(provider));
}

/** Returns the token counts of an answer as its usage event; none if the server counted nothing. */
export function usageEvent(counts: {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly cached?: number | undefined;
  readonly reasoning?: number | undefined;
  readonly cacheWrite?: number | undefined;
  /** The model that has answered, as the server names it; left out beyond 200 characters. */
  readonly model?: string | undefined;
}): readonly ProviderEvent[] {
  const { input, output, cached, reasoning, cacheWrite, model } = counts;
  if (input === undefined && output === undefined) return [];
  return [
    {
      type: "usage",
      inputTokens: input ?? 0,
      outputTokens: output ?? 0,
      ...(cached !== undefined && { cachedTokens: cached }),
      ...(reasoning !== undefined && { reasoningTokens: reasoning }),
      ...(cacheWrite !== undefined && { cacheWriteTokens: cacheWrite }),
      ...(model !== undefined && model.length <= maxModelName && { model }),
    },
  ];
}

/** Returns the first bytes of a body as text; what breaks off is cut, not thrown. */
export async function beginningOf(answer: Response, limit: number = 64 * 1024): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const bytes of bodyOf(answer)) {
      text += decoder.decode(bytes, { stream: true });
      if (text.length >= limit) break;
    }
  } catch {
    // The status and what came so far say enough.
  }
  return text.slice(0, limit);
}

/**
 * An answer of `Net` and `Upstream` can be iterated over itself, which spares the web's streams.
 */
async function* bodyOf(answer: Response & Partial<AsyncIterable<Uint8Array>>): AsyncGenerator<Uint8Array> {
  const pieces = Symbol.asyncIterator in answer ? (answer as AsyncIterable<Uint8Array>) : answer.body;
  if (pieces !== null) yield* pieces;
}

function failed(error: ReturnType<typeof errors.PROVIDER_EMPTY>): ProviderEvent {
  return { type: "error", failure: failure(error, true) };
}

/** Reads on without ending the body when the reader stops. */
function left(rest: AsyncIterator<Uint8Array>): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => ({ next: () => rest.next() }) };
}

/** Takes in what follows the last event, so that the connection serves the next request too. */
async function drain(rest: AsyncIterator<Uint8Array>, abort: () => void): Promise<void> {
  const timer = setTimeout(abort, CLOSE_MS);
  timer.unref();
  try {
    while (!(await rest.next()).done);
  } catch {
    // The answer is complete; only the connection is lost.
  } finally {
    clearTimeout(timer);
  }
}
