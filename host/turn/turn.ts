import type {
  ChatMessage,
  InboundMessage,
  Logger,
  ProviderFailure,
  PromptOptions,
  TurnFacts,
  TurnResult,
} from "@gantry/sdk";
import type { SessionView } from "@gantry/sdk/fill";
import type { Approvals } from "../tools/approvals.ts";
import type { SessionSources } from "../tools/session-sources.ts";
import type { ToolList } from "../tools/tool-list.ts";
import type { ToolCalls } from "../tools/tool-call.ts";
import type { TurnContext } from "../tools/turn-context.ts";
import type { Redaction } from "../record/redaction.ts";
import type { Registry } from "../plugins/registry.ts";
import type { Telling } from "../record/observers.ts";
import type { BoundaryWords } from "./boundary-words.ts";
import type { Providers } from "./providers.ts";
import type { TurnMedia } from "./turn-media.ts";

/** The dependencies that all turns share. */
export interface TurnDeps {
  readonly registry: Registry;
  readonly models: Providers;
  readonly calls: ToolCalls;
  readonly tools: ToolList;
  readonly sources: SessionSources;
  readonly approvals: Approvals;
  readonly observers: Telling;
  readonly words: BoundaryWords;
  readonly media: TurnMedia;
  readonly log: Logger;
  readonly redaction: Redaction;
  readonly temperature: number;
  readonly maxIterations: number;
  readonly maxTurns: number;
  readonly workspace: string;
}

/** The input of one turn. */
export interface TurnInput {
  readonly message: InboundMessage;
  readonly session: string;
  readonly user: string;
  /** The session before this turn. */
  readonly view: SessionView;
  readonly context: TurnContext;
  /** The redaction of everything that the person is shown. */
  readonly redaction: Redaction;
  readonly options: Omit<
    PromptOptions,
    "provider" | "model" | "effort" | "budget" | "agent" | "workspace"
  > & {
    /** Stands before the person's words. */
    readonly note?: string | undefined;
  };
}

/** Returns what whoever watches is told of a turn. */
export function factsOf({
  session,
  user,
  context,
}: Pick<TurnInput, "session" | "user" | "context">): TurnFacts {
  const { agent, around, ids } = context;
  const within = around.at(-1);
  return {
    session,
    user,
    ...ids,
    ...(agent !== undefined && { agent }),
    ...(within !== undefined && { within }),
  };
}

export const noUsage = Object.freeze({
  input_tokens: 0,
  output_tokens: 0,
  cached_tokens: 0,
  reasoning_tokens: 0,
});

/** The answer for the person, redacted, and the messages that belong in the session, whole. */
export interface Turn {
  readonly result: TurnResult;
  readonly messages: readonly ChatMessage[];
}

/** A turn that ended before anything was said. */
export function failedTurn({ session, context }: TurnInput, error: ProviderFailure): Turn {
  const { provider = "none", model = null } = context.want;
  const failed = { provider, model, reply: "", stop_reason: "Error", error } as const;
  return { result: { ...resultOf(session, ""), ...failed }, messages: [] };
}

/** Returns what a caller who waits is told without a turn, which is something in any case. */
export function resultOf(session: string, said: string): TurnResult {
  return {
    reply: said === "" ? "Done." : said,
    session_id: session,
    provider: "none",
    model: null,
    stop_reason: "EndTurn",
    usage: noUsage,
    tool_calls: [],
  };
}

/** Makes the answer of a turn that a person ended; `forget` keeps nothing of it. */
export function stoppedTurn({ result, messages }: Turn, how: unknown): Turn {
  const { error: _, ...rest } = result;
  const reply = result.reply === "" ? "Stopped." : `${result.reply}\n\nStopped.`;
  const ended = { ...rest, reply, stop_reason: "EndTurn", stopped: true } as const;
  return { result: ended, messages: how === "forget" ? [] : messages };
}
