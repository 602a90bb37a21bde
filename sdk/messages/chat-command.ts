import type { ToolOrigin } from "../tools/tool-run.ts";
import type { Trust } from "../security/trust.ts";
import type { ApprovalRequest, DecisionOutcome } from "../turns/approval.ts";
import type { Awaitable } from "../contract/awaitable.ts";
import type { Part } from "./content.ts";
import type { ModelRef } from "../models/model-ref.ts";
import type { Scope } from "../security/scope.ts";
import type { SessionSummary } from "../store/store.ts";
import type { TurnResult } from "../turns/turn.ts";
import { many } from "../contract/slot.ts";
import { all, hasScope, having, mayHave } from "../contract/shape.ts";

/** Actions of a command on the conversation that it was written in, and on no other. */
export interface ConversationControl {
  readonly session: string;
  /**
   * Starts the conversation over. Returns the id under which the earlier one is kept, or undefined
   * if nothing was said yet.
   */
  begin(): Promise<string | undefined>;
  /**
   * Goes on with an earlier conversation of the same person, which the present one makes room for.
   * Returns false if there is none.
   */
  resume(session: string): Promise<boolean>;
  /** Returns the sessions of the same person, the newest first. */
  sessions(limit: number): Promise<readonly SessionSummary[]>;
  /** Makes the model's view of it shorter. Returns false if there is nothing to leave out. */
  compact(): Promise<boolean>;
  /**
   * Takes the last turn out of the model's view; the work of its tools stays done. Returns false if
   * there is no turn.
   */
  rewind(): Promise<boolean>;
  /** Ends the turn that runs, with its questions. Returns false if none runs. */
  stop(): Promise<boolean>;
  /** Returns true while a turn runs here, whoever it is of. Absent in hosts of earlier releases. */
  isRunning?(): boolean;
  /**
   * Returns the name of the agent that answers here, if one does. Absent in hosts of earlier
   * releases.
   */
  agent?(): Promise<string | undefined>;
  /** Returns the model that answers in this conversation. */
  model(): Promise<ModelRef>;
  /** Changes the model from the next message on; undefined: the configured one again. */
  useModel(model: string | undefined): Promise<void>;
  tools(): Promise<readonly { readonly name: string; readonly description: string }[]>;
  /** Returns the open questions that this person may decide here. */
  questions(): Promise<readonly ApprovalRequest[]>;
  /**
   * Decides a question. `unnamed`: here the message must hold the id, or its first six characters,
   * as a word.
   */
  decide(id: string, decision: "allow" | "deny"): Promise<DecisionOutcome | "unnamed">;
}

export interface ChatCommandRun {
  /** The text after the word. */
  readonly args: string;
  /**
   * The whole message, word included: a part with `from` is nobody's own words, and stands in
   * `args` all the same. Absent in hosts of earlier releases.
   */
  readonly parts?: readonly Part[];
  /** `<channel>:<user_id>` */
  readonly user: string;
  readonly trust: Trust;
  /**
   * The chat, as a tool's origin has it; at the terminal and over HTTP too, where nothing but the
   * answer reaches the person. Absent in hosts of earlier releases.
   */
  readonly origin?: ToolOrigin;
  /**
   * Aborted when whoever waits for the answer leaves, and when the time that a stop gives is up.
   * Absent in hosts of earlier releases.
   */
  readonly signal?: AbortSignal;
  /**
   * The folder that a turn of the conversation works in, which is that of its agent. Throws if that
   * folder cannot be had. Absent in hosts of earlier releases.
   */
  readonly workspace?: string;
  readonly conversation: ConversationControl;
  /** Those that this person may use. */
  readonly commands: readonly ChatCommand[];
}

/**
 * A word behind a slash: `/new`. The same in the terminal, in channels and over HTTP; the model
 * never sees it.
 */
export interface ChatCommand {
  /** Lower case, without the slash. */
  readonly name: string;
  readonly summary: string;
  /** As people write them: `[id]`. */
  readonly args?: string;
  /**
   * The least trust that it needs. Default: whoever may write, and in a group, where the
   * conversation is not theirs alone, `member`.
   */
  readonly trust?: Trust;
  /** The scope that a token needs for it. Default `manage` for a command of owners, else `talk`. */
  readonly may?: Scope;
  /**
   * Returns true for a word that no command is named by and that this one answers, with the word
   * before its arguments: `/review x` as `/skill review x`. Hosts of earlier releases do not ask
   * it.
   */
  alsoFor?(word: string): Awaitable<boolean>;
  /**
   * Returns the text for the person, shown character by character; empty if the effect speaks for
   * itself. Or returns what the person says to the model by it: that begins a turn. It works while
   * a turn runs, so it must not wait for one.
   */
  run(run: ChatCommandRun): Awaitable<string | CommandPrompt>;
  /**
   * Asked once a turn has ended that this command began and that nobody has stopped. Returns the
   * text for its person, or what they say to the model next: that begins another turn in their
   * name, behind the guards. If the process is killed the turn begins again, and this is asked at
   * its end. Hosts of earlier releases do not ask.
   */
  next?(ended: CommandTurn): Awaitable<string | CommandPrompt | undefined>;
  /**
   * Asked when a turn that this command began is about to run, which may be long after it was
   * accepted; false drops that turn as one that was stopped. Hosts of earlier releases do not ask.
   */
  begins?(turn: Omit<CommandTurn, "result">): Awaitable<boolean>;
  /**
   * Told by `/stop` before the turn that runs is ended. Ends what this command has yet to do in the
   * conversation, and returns the text for the person about that; undefined if it has nothing to
   * do.
   */
  stopped?(run: ChatCommandRun): Awaitable<string | undefined>;
}

/** A turn that a chat command began. */
export interface CommandTurn extends Pick<ChatCommandRun, "user" | "trust"> {
  readonly session: string;
  /** The parts that were said to the model by it. */
  readonly prompt: readonly Part[];
  readonly result: TurnResult;
}

/** A chat command's words to the model in its person's name, which guards see as their message. */
export interface CommandPrompt {
  /**
   * At least one. A text that the person has not written has its source in `from`: it is material.
   */
  readonly prompt: readonly Part[];
  /** Added to the system prompt of that turn. */
  readonly system?: string;
  /** Begins the answer of that turn. Hosts of earlier releases do not tell it. */
  readonly told?: string;
}

export function isCommandPrompt(value: unknown): value is CommandPrompt {
  const { prompt, system, told } = (value ?? {}) as Record<string, unknown>;
  const isText = [system, told].every((text) => text === undefined || typeof text === "string");
  return isText && Array.isArray(prompt) && prompt.length > 0 && prompt.every(isPart);
}

function isPart(value: unknown): boolean {
  const { type, text } = (value ?? {}) as Record<string, unknown>;
  return type === "text" ? typeof text === "string" : typeof type === "string";
}

export const ChatCommands = many<ChatCommand>("chat-commands", (command: ChatCommand) => {
  if (!/^[a-z][a-z0-9-]{0,31}$/.test(command.name)) return "has a name with other signs than a-z, 0-9 and -";
  const missing = all(having("run"), mayHave("alsoFor", "next", "begins", "stopped"))(command);
  if (missing) return missing;
  if (typeof command.summary !== "string" || !command.summary) return "has no summary for /help";
  const isTrust = ["guest", "member", "owner"].includes(command.trust ?? "guest");
  return isTrust ? hasScope(command) : "has a trust that is none";
});
