import {
  promptEvents,
  type Inbox,
  type InboundMessage,
  type PromptEvent,
  type PromptOptions,
  type RouteReply,
  type ServerEvent,
  type TurnEvent,
  type TurnResult,
} from "@gantry/sdk";
import { errors } from "./errors.ts";
import { errorBody, turnStatus, type Coded } from "./failure.ts";

/** A part of the answer, or of the thinking before it, in its order. */
export type Piece = Extract<TurnEvent, { type: "delta" | "thought" }>;

/** The objects of one API for one turn: whole, or piece by piece. */
export interface Encoder {
  whole(result: TurnResult, pieces?: readonly Piece[]): object;
  first(): Iterable<ServerEvent>;
  text(piece: string): Iterable<ServerEvent>;
  thought?(piece: string): Iterable<ServerEvent>;
  /** Yields what is left to say when the turn has ended well. */
  last(result: TurnResult): Iterable<ServerEvent>;
  failed(error: Coded, status: number): Iterable<ServerEvent>;
}

/** A turn that can be run. */
export interface PreparedTurn {
  readonly message: InboundMessage;
  readonly options: Omit<PromptOptions, "signal" | "onEvent">;
  readonly signal: AbortSignal;
  readonly encoder: Encoder;
  /** The client takes the first call alone; the model sees that no other was run. */
  readonly oneCall: boolean;
  /**
   * Takes the end of the turn, once, before the client is told and even if the client has left by
   * then; undefined for a turn that threw. `pieces` are those that `whole` is given.
   */
  settle?(result: TurnResult | undefined, pieces: readonly Piece[]): Promise<void>;
}

export async function answerWhole(inbox: Inbox, turn: PreparedTurn): Promise<RouteReply> {
  const { message, options, signal, encoder } = turn;
  // Without a listener nobody is asked, and no thought is told.
  const isHeard = options.approvals === "ask" || options.thoughts === true;
  const listener = isHeard && { onEvent: () => {} };
  const pieces: Piece[] = [];
  const told = settling(inbox, turn, false, pieces);
  const result = await told.prompt(message, { ...options, signal, ...listener });
  if (!result.error) return { status: 200, body: encoder.whole(result, pieces) };
  const { status, headers = {} } = turnStatus(result.error);
  return { status, body: errorBody(result.error, status), headers };
}

export async function answerStreamed(inbox: Inbox, turn: PreparedTurn): Promise<RouteReply> {
  const { message, options, signal } = turn;
  const steps = promptEvents(settling(inbox, turn, true, []), message, { ...options, signal });
  // The status tells what is wrong with the request, so the stream begins with the first step.
  const first = await steps.next();
  return { status: 200, events: frames(first, steps, turn.encoder) };
}

/**
 * Returns the inbox with a prompt whose promise settles once `settle` has. The reply of a streamed
 * turn is all that was streamed, which has the texts beside calls as well. `pieces` are filled if
 * thoughts are told: with all that was streamed, else with the thoughts alone.
 */
function settling(inbox: Inbox, turn: PreparedTurn, isStreamed: boolean, pieces: Piece[]): Inbox {
  const { settle } = turn;
  return {
    receive: (messages) => inbox.receive(messages),
    async prompt(message, { onEvent, ...options }) {
      let streamed = "";
      const listener = onEvent && {
        onEvent(event: Parameters<typeof onEvent>[0]) {
          // Neither the client nor anybody else can answer it; what cannot be shown is cancelled.
          if (event.type === "tool_question") throw new Error("nobody is there to be asked for words");
          if (event.type === "delta") streamed += event.text;
          const isPiece = event.type === "thought" || (event.type === "delta" && isStreamed);
          if (options.thoughts && isPiece) pieces.push(event);
          onEvent(event);
        },
      };
      let result: TurnResult | undefined;
      try {
        const ended = held(await inbox.prompt(message, { ...options, ...listener }), turn);
        result = isStreamed && streamed !== "" ? { ...ended, reply: streamed } : ended;
      } finally {
        await settle?.(result, pieces);
      }
      return result;
    },
  };
}

/** Returns the result as the client asked for it: failed if a required call did not come. */
function held(result: TurnResult, { options, oneCall }: PreparedTurn): TurnResult {
  const { stop_reason, client_calls: calls = [] } = result;
  if (oneCall && calls.length > 1) return { ...result, client_calls: calls.slice(0, 1) };
  if (!options.mustCall || calls.length > 0 || stop_reason !== "EndTurn") return result;
  const { code, message } = errors.OPENAI_NO_CALL();
  return { ...result, stop_reason: "Error", error: { code, message, retry: false } };
}

async function* frames(
  first: IteratorResult<PromptEvent, void>,
  steps: AsyncGenerator<PromptEvent, void>,
  encoder: Encoder,
): AsyncGenerator<ServerEvent> {
  yield* encoder.first();
  try {
    for (let step = first; !step.done; step = await steps.next()) {
      const event = step.value;
      if (event.type === "delta") yield* encoder.text(event.text);
      if (event.type === "thought") yield* encoder.thought?.(event.text) ?? [];
      // The gateway's own comments follow; this one says why nothing else does.
      if (event.type === "approval_request") yield { raw: `: waits for a person, ${event.request.id}\n\n` };
      if (event.type !== "ended") continue;
      const { error } = event.result;
      if (error) yield* encoder.failed(error, turnStatus(error).status);
      else yield* encoder.last(event.result);
      return;
    }
  } catch (error) {
    const { code = "INTERNAL", message } = error as Error & { code?: string };
    yield* encoder.failed({ code, message }, 500);
  } finally {
    await steps.return();
  }
}
