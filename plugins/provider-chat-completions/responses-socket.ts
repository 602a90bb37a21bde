import { errors } from "@gantry/sdk";
import { asObject, asText, cutAnswer, failure, thrownFailure } from "@gantry/sdk/provider";
import type { ProviderEvent, ProviderFailure } from "@gantry/sdk";
import type { Question } from "./ask.ts";
import type { Endpoint } from "./endpoint.ts";
import { jsonFrames } from "./frames.ts";
import { mediaFor, refusedField, refusesMedia } from "./refused-fields.ts";
import type { OptionalField } from "./refused-fields.ts";
import type { Line, SocketPool } from "./socket-pool.ts";

/** Nothing was shown and the connection does not serve: another way may be tried. */
export interface NoWay {
  readonly failure: ProviderFailure;
}

/** The outcome of one attempt. */
type Attempt = "answered" | "again" | NoWay;

const GROWN_OLD = "websocket_connection_limit_reached";

/**
 * Asks one question over the WebSocket that `key` keeps. Asks again only if nothing was shown: on a
 * dead kept connection, or without a refused field.
 */
export async function* askSocket(
  pool: SocketPool,
  key: string,
  endpoint: Endpoint,
  question: Question,
  refused: Set<OptionalField>,
): AsyncGenerator<ProviderEvent, NoWay | undefined> {
  for (;;) {
    const came = yield* attempt(pool, key, endpoint, question, refused);
    if (came === "answered") return undefined;
    if (came !== "again") return came;
  }
}

async function* attempt(
  pool: SocketPool,
  key: string,
  endpoint: Endpoint,
  question: Question,
  refused: Set<OptionalField>,
): AsyncGenerator<ProviderEvent, Attempt> {
  const reader = question.reader();
  let line: Line | undefined;
  let shown = false;
  let reusable = false;
  try {
    line = await pool.take(key, endpoint, question.signal);
    const body = question.body(refused);
    line.socket.send(JSON.stringify({ type: "response.create", ...body }));
    for await (const value of jsonFrames(line, endpoint, question.signal)) {
      const said = shown ? "" : errorText(value);
      const field = question.withMedia && refusesMedia(said) ? mediaFor(question.model) : undefined;
      const missed = field && !refused.has(field) ? field : refusedField(said, body)?.field;
      if (missed) refused.add(missed);
      reusable = missed !== undefined;
      if (missed || (line.used && said.includes(GROWN_OLD))) return "again";
      const events = reader.take(value);
      // A piece that shows nothing is still a sign of life.
      if (events.length === 0) yield { type: "text", text: "" };
      for (const event of events) {
        shown = true;
        reusable = event.type === "stop";
        yield event;
      }
      if (reader.over) return "answered";
    }
    if (!shown)
      return line.used
        ? "again"
        : { failure: failure(errors.PROVIDER_REFUSED(endpoint.name, "it closed the WebSocket"), true) };
    yield cutAnswer(endpoint.name);
  } catch (error) {
    const why = thrownFailure(endpoint.name, error, question.signal, endpoint.timeoutMs / 1000);
    const unreachable = why.code === "PROVIDER_REFUSED";
    if (unreachable && !shown) return line?.used ? "again" : { failure: why };
    yield unreachable ? cutAnswer(endpoint.name) : { type: "error", failure: why };
  } finally {
    if (line && reusable) pool.put(key, line);
    else line?.socket.close();
  }
  return "answered";
}

/** The error a frame speaks of as text, or nothing. */
function errorText(value: unknown): string {
  const frame = asObject(value);
  const error = frame?.error ?? asObject(frame?.response)?.error;
  return error || asText(frame?.type) === "error" ? JSON.stringify(value) : "";
}
