import {
  answerFailure,
  type AnswerReader,
  beginningOf,
  failure,
  jsonValues,
  streamAnswer,
} from "@gantry/sdk/provider";
import type { ProviderEvent, ProviderFailure, Upstream } from "@gantry/sdk";
import type { Endpoint } from "./endpoint.ts";
import { errors } from "./errors.ts";
import { mediaFor, refusedField, refusesMedia } from "./refused-fields.ts";
import type { OptionalField, Refusal, Refused } from "./refused-fields.ts";

const TOOL_OPTIONS = /--(?:tool-call-parser|enable-auto-tool-choice|jinja)\b/g;

export interface Question {
  readonly path: string;
  readonly model: string | undefined;
  readonly withTools: boolean;
  readonly withMedia: boolean;
  readonly signal: AbortSignal;
  body(refused: Refused): Record<string, unknown>;
  reader(): AnswerReader;
}

/**
 * One POST and its answer, as events; the last one is a stop or an error. `refused` learns what
 * this server does not take.
 */
export function ask(
  upstream: Upstream,
  endpoint: Endpoint,
  question: Question,
  refused: Set<OptionalField>,
): AsyncGenerator<ProviderEvent, void> {
  const { name, timeoutMs } = endpoint;
  return streamAnswer({
    provider: name,
    timeoutMs,
    signal: question.signal,
    reader: question.reader(),
    send: (signal) => send(upstream, endpoint, question, refused, signal),
    values: (body) => jsonValues(body, name),
  });
}

async function send(
  upstream: Upstream,
  endpoint: Endpoint,
  question: Question,
  refused: Set<OptionalField>,
  signal: AbortSignal,
): Promise<Response | ProviderFailure> {
  const { name, address, secrets, withheld, timeoutMs } = endpoint;
  const without = new Set(refused);
  for (;;) {
    const body = question.body(without);
    const response = await upstream.fetch({
      url: address.at(question.path),
      method: "POST",
      headers: {
        ...authorization(endpoint),
        "content-type": "application/json",
        accept: "text/event-stream, application/json",
      },
      // Bytes, since a text would be held beside its bytes for as long as the model thinks.
      body: Buffer.from(JSON.stringify(body)),
      signal,
      timeoutMs,
    });
    const { status } = response;
    if (response.ok) return response;
    const text = await beginningOf(response);
    const refusal = refusalOf(question, { status, text }, body, without);
    if (refusal) {
      without.add(refusal.field);
      if (!refusal.once) refused.add(refusal.field);
      continue;
    }
    const options = question.withTools ? [...new Set(text.match(TOOL_OPTIONS))] : [];
    if (options.length > 0)
      return failure(errors.CHAT_TOOLS_OPTION(name, status, options.join(" and ")), false, { status });
    return answerFailure({
      provider: name,
      model: question.model,
      status,
      body: text,
      retryAfter: response.headers.get("retry-after"),
      secrets,
      withheld,
    });
  }
}

const REFUSES_MEDIA: ReadonlySet<number> = new Set([400, 404, 415, 422, 500]);

function refusalOf(
  question: Question,
  { status, text }: { readonly status: number; readonly text: string },
  body: Record<string, unknown>,
  without: Refused,
): Refusal | undefined {
  const pictures = mediaFor(question.model);
  if (question.withMedia && !without.has(pictures) && REFUSES_MEDIA.has(status) && refusesMedia(text))
    return { field: pictures, once: false };
  return status === 400 || status === 422 ? refusedField(text, body) : undefined;
}

export function authorization({ credential }: Endpoint): Record<string, string> {
  return credential.value === undefined ? {} : { authorization: `Bearer ${credential.value}` };
}
