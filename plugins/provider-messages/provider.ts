import { GantryError } from "@gantry/sdk";
import { answerFailure, beginningOf, CarriedMedia, jsonValues, streamAnswer } from "@gantry/sdk/provider";
import type { ChatRequest, Provider, ProviderEvent, ProviderFailure, Upstream } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { MessagesAnswer } from "./messages-answer.ts";
import { boundThatFits, learn, messagesBody, nothingLearned } from "./messages-body.ts";
import { listModels } from "./model-list.ts";
import type { Server } from "./server.ts";

const TAKES: readonly string[] = ["image/*", "application/pdf"];

/**
 * A provider that asks one server in the messages format; it learns what that server does not take.
 */
export function createProvider(upstream: Upstream, server: Server): Provider {
  const { name, secrets, withheld, timeoutMs, settings } = server;
  const learned = nothingLearned();
  const { host } = new URL(server.address.at("/"));

  async function send(request: ChatRequest, signal: AbortSignal): Promise<Response | ProviderFailure> {
    const media = await CarriedMedia.of(request, TAKES);
    let asked = request;
    for (;;) {
      const body = messagesBody({ request: asked, media, settings }, learned);
      const response = await upstream.fetch({
        url: server.address.at("/v1/messages"),
        method: "POST",
        headers: {
          ...server.headers,
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
      if (status === 400 && learn(text, body, learned)) continue;
      const bound = status === 400 ? boundThatFits(text, body) : undefined;
      if (bound !== undefined) {
        asked = { ...request, maxTokens: bound };
        continue;
      }
      return answerFailure({
        provider: name,
        model: request.model,
        status,
        body: text,
        retryAfter: response.headers.get("retry-after"),
        secrets,
        withheld,
      });
    }
  }

  return Object.freeze({
    name,
    server: host,
    capabilities: { nativeToolCalling: true, vision: true, streaming: true, media: TAKES },
    chat: (request: ChatRequest): AsyncIterable<ProviderEvent> =>
      streamAnswer({
        provider: name,
        timeoutMs,
        signal: request.signal,
        reader: new MessagesAnswer(name, request.model, secrets),
        send: (signal) => send(request, signal),
        values: (body) => jsonValues(body, name),
      }),
    models: (signal: AbortSignal) => listModels(upstream, server, signal),
    warmup: (signal: AbortSignal) => warmup(upstream, server, signal),
    credential: async () => server.source,
    keyWithheld: withheld,
  });
}

async function warmup(upstream: Upstream, server: Server, signal: AbortSignal): Promise<string> {
  try {
    const ids = await listModels(upstream, server, signal);
    return `${server.name} answers and lists ${ids.length} ${ids.length === 1 ? "model" : "models"}.`;
  } catch (error) {
    if (!(error instanceof GantryError) || error.code !== errors.MESSAGES_NO_MODEL_LIST.code) throw error;
    return `${server.name} answers; it has no model list, which is optional.`;
  }
}
