import { GantryError } from "@gantry/sdk";
import { CarriedMedia, failure, thrownFailure } from "@gantry/sdk/provider";
import type { ChatRequest, Provider, ProviderEvent, Upstream } from "@gantry/sdk";
import { ask } from "./ask.ts";
import type { Question } from "./ask.ts";
import { ChatAnswer } from "./chat-answer.ts";
import { chatBody } from "./chat-body.ts";
import { requireCredential } from "./endpoint.ts";
import type { Endpoint } from "./endpoint.ts";
import { errors } from "./errors.ts";
import { listModels, windowOf } from "./model-list.ts";
import type { OptionalField } from "./refused-fields.ts";
import type { ResponsesMode } from "./responses-mode.ts";

/** Answers of servers to a request without a model, if they have no default. */
const NEEDS_MODEL = new Set(["PROVIDER_REQUEST", "PROVIDER_MODEL_UNKNOWN"]);

/**
 * A provider that asks one server. It learns which optional fields that server refuses. A request
 * without a model goes to the only model of the server, or to its default.
 */
export function createProvider(upstream: Upstream, endpoint: Endpoint, responses: ResponsesMode): Provider {
  const { name, aliases, credential, secrets, toolOption, mode, settings } = endpoint;
  const needsCredential = endpoint.keyAdvice !== undefined;
  const refused = new Set<OptionalField>();
  const { host } = new URL(endpoint.address.at("/"));
  const takes = mode === "responses" ? ["image/*", "application/pdf"] : ["image/*"];
  let offered: readonly string[] | undefined;

  async function* chat(request: ChatRequest): AsyncGenerator<ProviderEvent, void> {
    let { model } = request;
    let media: CarriedMedia;
    try {
      media = await CarriedMedia.of(request, takes);
      requireCredential(endpoint);
      if (model === undefined) {
        offered ??= await listIfAny(upstream, endpoint, request.signal);
        model = offered.length === 1 ? offered[0] : undefined;
      }
    } catch (error) {
      return yield {
        type: "error",
        failure: thrownFailure(name, error, request.signal, endpoint.timeoutMs / 1000),
      };
    }
    const tools = request.tools.map((tool) => tool.name);
    const question: Question = {
      path: "/chat/completions",
      model,
      withTools: tools.length > 0,
      withMedia: media.any,
      signal: request.signal,
      body: (without) => chatBody({ request, model, media, settings }, without),
      reader: () => new ChatAnswer({ name, model, tools, toolOption, secrets }),
    };
    const answer =
      mode === "responses"
        ? responses.chat(endpoint, { request, model, media, settings }, refused)
        : ask(upstream, endpoint, question, refused);
    for await (const event of answer) {
      const guessing =
        event.type === "error" &&
        model === undefined &&
        NEEDS_MODEL.has(event.failure.code) &&
        offered?.length;
      yield guessing
        ? { type: "error", failure: failure(errors.CHAT_NO_MODEL(name, guessing, offered?.[0]), false) }
        : event;
    }
  }

  return Object.freeze({
    name,
    server: host,
    aliases,
    capabilities: { nativeToolCalling: true, vision: true, streaming: true, media: takes },
    chat,
    models: (signal: AbortSignal) => listModels(upstream, endpoint, signal),
    contextWindow: (model: string | undefined, signal: AbortSignal) =>
      windowOf(upstream, endpoint, model, signal),
    warmup: (signal: AbortSignal) => warmup(upstream, endpoint, signal),
    credential: async () => credential.source,
    needsCredential,
    // A local server mostly wants no key, so it is not told that one is missing.
    keyWithheld: needsCredential || name.startsWith("custom:") ? endpoint.withheld : undefined,
  });
}

/** The models on offer; none where the server does not say. */
async function listIfAny(
  upstream: Upstream,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<readonly string[]> {
  return listModels(upstream, endpoint, signal).catch((error: unknown) => {
    if (isCode(error, errors.CHAT_NO_MODEL_LIST.code, "PROVIDER_MALFORMED")) return [];
    throw error;
  });
}

async function warmup(upstream: Upstream, endpoint: Endpoint, signal: AbortSignal): Promise<string> {
  const where = endpoint.name.startsWith("custom:")
    ? endpoint.name
    : `${endpoint.name} at ${endpoint.address.shown}`;
  try {
    const ids = await listModels(upstream, endpoint, signal);
    return `${where} answers and lists ${ids.length} ${ids.length === 1 ? "model" : "models"}.`;
  } catch (error) {
    if (!isCode(error, errors.CHAT_NO_MODEL_LIST.code)) throw error;
    return `${where} answers; it has no model list, which is optional.`;
  }
}

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof GantryError && codes.includes(error.code);
}
