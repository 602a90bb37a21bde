import type { Logger } from "../contract/logger.ts";
import type { ToolAnswer, WordsWanted } from "./tool-question.ts";
import type { Trust } from "../security/trust.ts";
import type { Json, Part } from "../messages/content.ts";
import type { Conversation } from "../messages/conversation.ts";
import type { Effects, Sources, StatedEffects } from "./effects.ts";

/** How far a running tool has come. */
export interface ToolProgress {
  /** In a unit of the tool's own, from 0 on. */
  readonly done: number;
  /** In the same unit; left out if nobody knows. */
  readonly total?: number;
  /** A few words for the person; beyond 200 characters they are cut. */
  readonly text?: string;
}

/** The chat that a call came up in: `Outbox.send({ ...origin, parts, key })` reaches it, also after a restart. */
export interface ToolOrigin {
  readonly channel: string;
  readonly conversation: Conversation;
  /** The channel's own address of the chat, as {@link InboundMessage} has it. */
  readonly replyTo: Json;
  /** The same, as {@link ServiceMessage} has it. */
  readonly to: Json;
  /** Of whoever speaks in the turn. */
  readonly trust: Trust;
  /** The id of the message that is answered: the platform's, unless a plugin made the message. Absent in hosts of earlier releases. */
  readonly message?: string;
}

/** What a running tool is handed. */
export interface ToolRun<Args> {
  readonly args: Args;
  readonly effects: Effects;
  readonly session: string;
  readonly user: string;
  /** Under whose name the turn works, where it has one. */
  readonly agent?: string | undefined;
  readonly cwd: string;
  /** What the conversation held when the call was decided on; what the tool keeps for later keeps it too. */
  readonly sources: Sources;
  /**
   * The chat that the turn answers; in a turn within a turn that of the outermost, whatever message was handed in. Undefined
   * at the terminal, over HTTP, outside of turns, and in hosts of earlier releases.
   */
  readonly origin?: ToolOrigin | undefined;
  /**
   * A `traceparent` for requests of this call, which belong to the turn's trace; the tool decides who gets it. Absent
   * outside of turns and in hosts of earlier releases.
   */
  readonly trace?: string | undefined;
  /**
   * Names the message that the turn answers; in a turn within a turn that of the outermost. Another
   * process that tries the message again gives the same name. Undefined outside of turns, and in
   * hosts of earlier releases.
   */
  readonly message?: string | undefined;
  /** Aborted on cancel and on the tool's time limit. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /**
   * Asks for what shows only while the tool runs, such as where a page has led: the same guards, the same question, the
   * same record as for the call itself. Throws the refusal.
   */
  check(effects: StatedEffects): Promise<void>;
  /** Calls another tool through the same guards, approval and audit; gives its result text or throws its refusal. */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<string>;
  /**
   * Tells whoever watches the turn how far the work is, at most ten times a second: of steps that come faster the newest is
   * told. A step whose numbers are not finite is left out. Never throws. Absent in hosts of earlier releases.
   */
  progress?(step: ToolProgress): void;
  /**
   * Asks the person whose turn it is for words, in their conversation, and waits as long as for an approval, within the
   * tool's own time limit. The model does not see the answer unless the tool gives it. Throws TOOL_BAD_QUESTION. Absent
   * where nobody can be asked, and in hosts of earlier releases.
   */
  ask?(wanted: WordsWanted): Promise<ToolAnswer>;
}

/**
 * For the model: text, or parts, of which some media may be `forPerson`. `failed` marks work that ran and went wrong, such as
 * a command with a bad exit code. `wrote`: absolute paths of files and folders that the call's effects did not name; what the
 * conversation has taken in counts as taken in by whoever reads one later.
 */
export type ToolResult =
  | string
  | { readonly text: string; readonly failed: boolean; readonly wrote?: readonly string[] }
  | { readonly parts: readonly Part[]; readonly failed: boolean; readonly wrote?: readonly string[] };

/** What a tool is told when it shows a call to a person. */
export interface PreviewContext {
  /** As the guards were shown them. */
  readonly effects: Effects;
  readonly signal: AbortSignal;
}

/** What a person is shown of a call. */
export interface Preview {
  readonly text: string;
  /** The change to a file, as a unified diff. */
  readonly diff?: string;
}

/** What a tool is told when it tries a call before a person is asked. */
export interface TryContext {
  /** Names this call of this message: the same when its turn begins again after a restart. */
  readonly key: string;
  /** How long a person has to decide, in ms. What was tried is thrown away later than that. */
  readonly waitMs: number;
  /** Aborted on cancel and on the tool's time limit. */
  readonly signal: AbortSignal;
  /**
   * Takes out of a text what neither the model nor a person may be shown. A tool that cuts what it shows has the whole text
   * cleaned first: half a secret is not found. Absent in hosts of earlier releases.
   */
  clean?(text: string): Promise<string>;
}

/** A call that was made where nobody sees yet what it did. Either of its functions is called at most once. */
export interface Tried {
  /** What a person is shown of it, in place of `Tool.preview`. */
  readonly preview: Preview;
  /** Makes it real; resolves to what `run` would have, and throws as `run` does. */
  take(): Promise<ToolResult>;
  /** Throws all of it away. */
  drop(): Promise<void>;
}

/** The reason why something was not tried, in words that end a sentence: "Not tried first: %s." */
export interface Untried {
  readonly untried: string;
}
