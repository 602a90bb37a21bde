import type { ToolCall } from "./tool.ts";
import type { StopReason } from "./provider.ts";
import type { Awaitable } from "./awaitable.ts";
import { many } from "./slot.ts";
import { mayHave } from "./shape.ts";

/** A conversation and whoever speaks in it. */
export interface TurnFacts {
  readonly session: string;
  /** `<channel>:<user_id>` */
  readonly user: string;
  /** Under whose name the turn works, where it has one. */
  readonly agent?: string;
  /** The session of the turn around this one, where it is a turn within a turn. */
  readonly within?: string;
}

/** One request to a model, of which a turn makes several; also those whose answer nobody is shown. */
export interface ModelAnswer extends TurnFacts {
  /** What the request was for: `turn` or `summary`. */
  readonly purpose: string;
  readonly provider: string;
  /** Undefined where the provider chose. */
  readonly model: string | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the input, what the provider read from its cache. */
  readonly cachedTokens: number;
  /** Of the output, what nobody sees. */
  readonly reasoningTokens: number;
  /** True where the server told no tokens, so that these are guessed from the length of what was said. */
  readonly isEstimated?: boolean;
  readonly ms: number;
  /** Until the first piece of the answer; undefined where there was none. */
  readonly firstMs: number | undefined;
  /** `ok`, or the code of the failure. */
  readonly outcome: string;
}

/** Told what happens; every member is optional, and what one throws is logged and stops nobody. */
export interface Observer {
  readonly name: string;
  turnStarted?(turn: TurnFacts): Awaitable<void>;
  turnEnded?(turn: TurnFacts & { readonly stop: StopReason; readonly ms: number }): Awaitable<void>;
  modelAnswered?(answer: ModelAnswer): Awaitable<void>;
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
  }): Awaitable<void>;
  /** A conversation was left for a new one, or removed. */
  sessionEnded?(ended: { readonly session: string; readonly reason: "left" | "removed" }): Awaitable<void>;
}
const moments = [
  "turnStarted",
  "turnEnded",
  "modelAnswered",
  "toolFinished",
  "laneMoved",
  "sessionEnded",
] as const;
export const Observers = many<Observer>("observers", (observer: Observer) => {
  const listens = moments.some((moment) => observer[moment] !== undefined);
  return listens ? mayHave(...moments)(observer) : `listens to none of ${moments.join(", ")}`;
});
