import { randomUUID } from "node:crypto";
import type {
  ContentBlock,
  PromptResponse,
  SessionModeState,
  SessionUpdate,
  StopReason,
} from "@agentclientprotocol/sdk";
import {
  directMessage,
  type Autonomy,
  type InboundMessage,
  type TurnEvent,
  type TurnResult,
} from "@gantry/sdk";
import { printable } from "@gantry/sdk/node";
import { failedTurn } from "./coded.ts";
import { readPrompt, type Said } from "./content.ts";
import type { Editor } from "./editor.ts";
import { errors } from "./errors.ts";
import type { Folder } from "./folders.ts";
import { modeOf, modesOf } from "./modes.ts";
import type { Needs } from "./needs.ts";
import { offeredWords } from "./offered-words.ts";
import { ownWords, replay } from "./replay.ts";
import { ToolCallUpdates } from "./tool-calls.ts";
import { TurnQuestions } from "./turn-questions.ts";
import { TurnUpdates } from "./turn-updates.ts";

/** The door of editors: who speaks in a folder is `acp:<its name>`. */
export const channel = "acp";
/** Prompts of one session that wait or run. */
const mostPrompts = 8;
const titleLength = 80;

const stopReasons: Readonly<Record<string, StopReason>> = {
  MaxTokens: "max_tokens",
  ContentFilter: "refusal",
};

/** One conversation of an editor, in one folder. */
export class Session {
  readonly id: string;
  readonly folder: Folder;
  readonly #needs: Needs;
  readonly #editor: Editor;
  readonly #running = new Map<AbortController, Promise<unknown>>();
  #mode: Autonomy;
  #calls = 0;
  #words = "";
  #isTitled = false;
  /** Words that go out with the next answer, as the editor shows no notices. */
  #unsaid = "";

  constructor(id: string, folder: Folder, needs: Needs, editor: Editor) {
    this.id = id;
    this.folder = folder;
    this.#needs = needs;
    this.#editor = editor;
    this.#mode = needs.level;
  }

  get modes(): SessionModeState {
    return modesOf(this.#mode, this.#needs.level);
  }

  /** Throws ACP_MODE_UNKNOWN. The turn that runs keeps the mode that it began with. */
  setMode(id: string): void {
    this.#mode = modeOf(id, this.#needs.level);
  }

  /**
   * Runs a turn; once the one before it is done, if another one runs. Calls `begun` when it runs,
   * perhaps several times. Throws ACP_BUSY and what `readPrompt` throws.
   */
  prompt(
    blocks: readonly ContentBlock[],
    cancelled: AbortSignal,
    begun: () => void = () => {},
  ): Promise<PromptResponse> {
    if (this.#running.size >= mostPrompts) return Promise.reject(errors.ACP_BUSY(mostPrompts));
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, cancelled, this.#editor.signal]);
    const work = this.#prompt(blocks, signal, begun).finally(() => this.#running.delete(stop));
    this.#running.set(stop, work);
    return work;
  }

  /** Ends the turns that run or wait; resolves once they have ended. */
  async cancel(): Promise<void> {
    const all = [...this.#running];
    for (const [stop] of all) stop.abort();
    await Promise.allSettled(all.map(([, work]) => work));
  }

  /** Tells what was said so far. */
  async replay(): Promise<void> {
    const { store, media } = this.#needs;
    const messages = await store.sessions.recent(this.id, Number.MAX_SAFE_INTEGER);
    this.#isTitled = messages.length > 0;
    const next = (): string => this.#nextCall();
    await replay(messages, { media, next, send: (update) => this.#send(update) });
  }

  /**
   * Says something of the session itself: beside the conversation if the editor can, else with the
   * next answer.
   */
  async notice(title: string, description: string): Promise<void> {
    if (this.#editor.showsNotices)
      await this.#send({ sessionUpdate: "notice", severity: "warning", title, description });
    else this.#unsaid += `${title}. ${description}\n\n`;
  }

  /** Tells which words there are behind a slash, if they are others than were told. */
  async tellWords(): Promise<void> {
    const availableCommands = offeredWords(this.#needs.words);
    const words = JSON.stringify(availableCommands);
    if (words === this.#words) return;
    this.#words = words;
    await this.#send({ sessionUpdate: "available_commands_update", availableCommands });
  }

  async #prompt(
    blocks: readonly ContentBlock[],
    signal: AbortSignal,
    begun: () => void,
  ): Promise<PromptResponse> {
    try {
      const { name, path } = this.folder;
      const bringing = { media: this.#needs.media, user: `${channel}:${name}`, folder: path };
      const said = await readPrompt(blocks, bringing);
      const result = await this.#turn(said, signal, begun);
      await this.tellWords();
      await this.#tellTitle(said);
      return { stopReason: signal.aborted ? "cancelled" : stopReasonOf(result) };
    } catch (error) {
      if (signal.aborted) return { stopReason: "cancelled" };
      throw error;
    }
  }

  async #turn(said: Said, signal: AbortSignal, begun: () => void): Promise<TurnResult> {
    const { approvals, inbox, level, log, media, questions, started } = this.#needs;
    const calls = new ToolCallUpdates(() => this.#nextCall(), this.folder.path);
    const updates = new TurnUpdates(calls, (update) => void this.#send(update));
    const say = (text: string): void => updates.say(`${text}\n\n`);
    const asking = { approvals, questions, log, editor: this.#editor, calls, signal, say };
    const user = `${channel}:${this.folder.name}`;
    const asked = new TurnQuestions({ ...asking, session: this.id, user });
    updates.say(this.#unsaid);
    this.#unsaid = "";
    let untold: (() => void) | undefined;
    const onEvent = (event: TurnEvent): void => {
      begun();
      // If turns wait for each other, only the one that runs is told of its calls.
      if (event.type === "tool_call") untold = started.of(this.id, (call) => updates.started(call));
      if (!asked.take(event)) updates.take(event);
    };
    const narrowed = this.#mode !== level && { autonomy: this.#mode };
    const place = { workspace: this.folder.path, ...narrowed };
    try {
      const asking = { signal, approvals: "ask", thoughts: true, onEvent } as const;
      const result = await inbox.prompt(this.#message(said), { ...asking, ...place });
      if (!signal.aborted) begun();
      await updates.end(signal.aborted ? { reply: "" } : result, media);
      return result;
    } finally {
      untold?.();
      updates.cut();
    }
  }

  #message({ parts, quoted }: Said): InboundMessage {
    const from = this.folder.name;
    const about = { channel, id: randomUUID(), from, text: "", trust: "owner", session: this.id } as const;
    return directMessage({ ...about, parts, ...(quoted.length > 0 && { quoted }) });
  }

  async #tellTitle({ parts }: Said): Promise<void> {
    const title = titleOf(ownWords(parts));
    if (this.#isTitled || title === "") return;
    this.#isTitled = true;
    await this.#send({ sessionUpdate: "session_info_update", title });
  }

  #nextCall(): string {
    this.#calls += 1;
    return `call-${this.#calls}`;
  }

  #send(update: SessionUpdate): Promise<void> {
    return this.#editor.update(this.id, update);
  }
}

/** Returns the beginning of what a person has said, as the title of a conversation. */
export function titleOf(words: string): string {
  return printable(words.trim().replace(/\s+/g, " ").slice(0, titleLength), titleLength);
}

/** Throws the failure of a turn that failed. */
function stopReasonOf({ error, stop_reason }: TurnResult): StopReason {
  if (error?.code === "TURN_TOO_LONG") return "max_turn_requests";
  if (error) throw failedTurn(error);
  return stopReasons[stop_reason] ?? "end_turn";
}
