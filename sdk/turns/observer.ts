import type { ToolCall } from "../tools/tool.ts";
import type { StopReason } from "../models/provider.ts";
import type { Awaitable } from "../contract/awaitable.ts";
import { many } from "../contract/slot.ts";
import { mayHave } from "../contract/shape.ts";

/** A conversation and whoever speaks in it. */
export interface TurnFacts {
  readonly session: string;
  /** `<channel>:<user_id>` */
  readonly user: string;
  /** The name of the agent under which the turn works, if it has one. */
  readonly agent?: string;
  /** The session of the turn around this one, if it is a turn within a turn. */
  readonly within?: string;
  /**
   * The id of this turn, 16 hex digits: two turns of a session are told apart by it. Absent in
   * hosts of earlier releases.
   */
  readonly turn?: string;
  /**
   * As a `traceparent` of W3C Trace Context, with `turn` as its span: for whatever the turn causes.
   */
  readonly trace?: string;
  /** Names the message that the outermost turn answers. Absent in hosts of earlier releases. */
  readonly message?: string;
  /** The span of the turn around it, or the one that came with its message. */
  readonly parent?: string;
}

/**
 * One request to a model, of which a turn makes several; also those whose answer nobody is shown.
 */
export interface ModelAnswer extends TurnFacts {
  /** The purpose of the request: `turn` or `summary`. */
  readonly purpose: string;
  readonly provider: string;
  /** Undefined if the provider chose. */
  readonly model: string | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The part of the input that the provider read from its cache. */
  readonly cachedTokens: number;
  /** The part of the output that nobody sees. */
  readonly reasoningTokens: number;
  /**
   * The part of the input that the provider wrote into its cache; undefined if it does not tell.
   */
  readonly cacheWriteTokens?: number;
  /** The model that has answered, as the server names it. */
  readonly responseModel?: string;
  /** The server that answered, as `host:port` or `host`. */
  readonly server?: string;
  /** Unix ms. Absent in hosts of earlier releases. */
  readonly started?: number;
  /**
   * True if the server told no tokens, so that these are guessed from the length of what was said.
   */
  readonly isEstimated?: boolean;
  readonly ms: number;
  /** Milliseconds until the first piece of the answer; undefined if there was none. */
  readonly firstMs: number | undefined;
  /** `ok`, or the code of the failure. */
  readonly outcome: string;
  /** Why the answer ended. Absent in hosts of earlier releases. */
  readonly stop?: StopReason;
}

/** A call that did not run: without its arguments, which may not even be readable. */
export interface Stopped {
  readonly session: string;
  readonly user: string;
  readonly turn?: string;
  /** The name as the model wrote it; a tool of that name need not exist. */
  readonly tool: string;
  readonly decision: "refused" | "failed";
  readonly code: string;
}

/** A question to a person. */
export interface Asked {
  readonly id: string;
  /** The conversation that is asked. */
  readonly session: string;
  readonly user: string;
  readonly tool: string;
}

/** Told what happens; every member is optional, and what one throws is logged and stops nobody. */
export interface Observer {
  readonly name: string;
  turnStarted?(turn: TurnFacts): Awaitable<void>;
  turnEnded?(
    turn: TurnFacts & {
      readonly stop: StopReason;
      /** Why, if `stop` is `Error`. */
      readonly code?: string;
      readonly ms: number;
    },
  ): Awaitable<void>;
  modelAnswered?(answer: ModelAnswer): Awaitable<void>;
  /** A call was let through and begins to run. */
  toolStarted?(report: { readonly call: ToolCall }): Awaitable<void>;
  /** A call, or a later step of one, did not run. */
  toolRefused?(report: Stopped): Awaitable<void>;
  /** A person is asked about a call. */
  approvalAsked?(asked: Asked): Awaitable<void>;
  /** A question was decided, or is over. */
  approvalDecided?(
    decided: Asked & {
      readonly decision: "allow" | "always" | "deny" | "expired" | "cancelled" | "undelivered";
      /** `<channel>:<user_id>`, if somebody decided. */
      readonly by?: string;
      /** From the question on. */
      readonly ms: number;
    },
  ): Awaitable<void>;
  /** After a call that was let through has run. */
  toolFinished?(report: {
    readonly call: ToolCall;
    readonly failed: boolean;
    readonly code?: string;
    readonly ms: number;
  }): Awaitable<void>;
  /** A message of a channel has come one step further. */
  laneMoved?(step: {
    readonly lane: string;
    readonly state: "accepted" | "begun" | "answered" | "sent" | "waits" | "aside";
    /**
     * As in {@link TurnFacts}, with the message's own span, which is the same in every process.
     * Absent in hosts of earlier releases.
     */
    readonly trace?: string;
    /** The span that came with the message. */
    readonly parent?: string | undefined;
  }): Awaitable<void>;
  /** A conversation was left for a new one, or removed. */
  sessionEnded?(ended: { readonly session: string; readonly reason: "left" | "removed" }): Awaitable<void>;
}
const moments = [
  "turnStarted",
  "turnEnded",
  "modelAnswered",
  "toolStarted",
  "toolRefused",
  "approvalAsked",
  "approvalDecided",
  "toolFinished",
  "laneMoved",
  "sessionEnded",
] as const;
export const Observers = many<Observer>("observers", (observer: Observer) => {
  const listens = moments.some((moment) => observer[moment] !== undefined);
  return listens ? mayHave(...moments)(observer) : `listens to none of ${moments.join(", ")}`;
});
