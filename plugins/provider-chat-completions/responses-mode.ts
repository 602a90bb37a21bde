import { answerFailure, failure } from "@gantry/sdk/provider";
import type { ProviderEvent, ProviderFailure, Upstream } from "@gantry/sdk";
import { ask } from "./ask.ts";
import type { Question } from "./ask.ts";
import type { BodyInput } from "./chat-body.ts";
import type { Endpoint } from "./endpoint.ts";
import { errors } from "./errors.ts";
import type { OptionalField } from "./refused-fields.ts";
import { ResponsesAnswer } from "./responses-answer.ts";
import { responsesBody } from "./responses-body.ts";
import { askSocket } from "./responses-socket.ts";
import { SocketPool } from "./socket-pool.ts";

/** A handshake that was refused with a status: for whom, or because there is no WebSocket. */
function refusedSocket(
  { name: provider, withheld }: Endpoint,
  model: string | undefined,
  status: number,
): ProviderFailure {
  const ofTheAccount = status === 401 || status === 403 || status === 429 || status >= 500;
  return ofTheAccount
    ? answerFailure({ provider, model, status, body: "", withheld })
    : failure(errors.CHAT_NO_WEBSOCKET(provider, status), false, { status });
}

const HTTP_FIRST_MS = 300_000;

/** Answers in responses mode: over a WebSocket that the conversation keeps, or over HTTP. */
export class ResponsesMode {
  readonly #upstream: Upstream;
  readonly #choice: string | undefined;
  readonly #pool: SocketPool;
  /** Servers without WebSocket, and until when (Unix ms) they are asked over HTTP at once. */
  readonly #httpUntil = new Map<string, number>();

  /**
   * `choice` is SERVICE_RESPONSES_WEBSOCKET: `1` only WebSocket, `0` only HTTP, else WebSocket
   * first. `signal` ends all connections.
   */
  constructor(upstream: Upstream, choice: string | undefined, signal: AbortSignal) {
    this.#upstream = upstream;
    this.#choice = choice;
    this.#pool = new SocketPool(upstream, signal);
  }

  async *chat(
    endpoint: Endpoint,
    input: BodyInput,
    refused: Set<OptionalField>,
  ): AsyncGenerator<ProviderEvent, void> {
    const { name, secrets } = endpoint;
    const { request, model, media } = input;
    const question: Question = {
      path: "/responses",
      model,
      withTools: request.tools.length > 0,
      withMedia: media.any,
      signal: request.signal,
      body: (without) => responsesBody(input, without),
      reader: () => new ResponsesAnswer(name, model, secrets),
    };
    const forced = this.#choice === "1";
    if (forced || (this.#choice !== "0" && (this.#httpUntil.get(name) ?? 0) < Date.now())) {
      const noWay = yield* askSocket(this.#pool, `${name} ${request.session}`, endpoint, question, refused);
      if (!noWay) return;
      // A handshake is refused with a status where the server is there and says no.
      const status = Number(/\bHTTP (\d{3})\b/.exec(noWay.failure.message)?.[1] ?? 0);
      if (forced) {
        return yield {
          type: "error",
          failure: status >= 400 ? refusedSocket(endpoint, model, status) : noWay.failure,
        };
      }
      if (status !== 401 && status !== 429) this.#httpUntil.set(name, Date.now() + HTTP_FIRST_MS);
    }
    yield* ask(
      this.#upstream,
      endpoint,
      { ...question, body: (without) => ({ ...question.body(without), stream: true }) },
      refused,
    );
  }
}
