import { lacking, type CallOptions, type ToolCallOutcome } from "@gantry/sdk/fill";
import {
  Store,
  type Inbox as InboxSlot,
  type InboundMessage,
  type PromptOptions,
  type Receipt,
  type TurnResult,
} from "@gantry/sdk";
import { laneMove, withinCaller } from "@gantry/sdk/node";
import type { People } from "../config/people.ts";
import { errors } from "./errors.ts";
import type { Telling } from "../record/observers.ts";
import type { Registry } from "../plugins/registry.ts";
import type { Admission } from "./admission.ts";
import { checkPromptOptions } from "./prompt-options.ts";
import { storeOf } from "./store-of.ts";
import type { SenderCheck } from "./sender-check.ts";
import type { ChatWords } from "./chat-words.ts";
import type { Conversations } from "./conversations.ts";
import { placed } from "./turn-workspace.ts";
import { resultOf, type TurnDeps } from "../turn/turn.ts";
import type { ToolList } from "../tools/tool-list.ts";
import { callAround } from "../tools/call-around.ts";

/**
 * Looks at a message before it is queued: true if it was meant for the service itself, such as a decision or a command,
 * and is used up. It works while a turn of the conversation runs.
 */
export type ControlWord = (message: InboundMessage) => boolean | Promise<boolean>;

export interface InboxDeps {
  readonly registry: Registry;
  readonly tools: ToolList;
  readonly observers: Telling;
  readonly people: People;
  readonly senders: SenderCheck;
  readonly controls: readonly ControlWord[];
  readonly admission: Admission;
  readonly conversations: Conversations;
  readonly turn: Pick<TurnDeps, "workspace">;
  readonly words: ChatWords;
}

/** The one way a message comes in: guards and bounds, then on disk or into a turn. */
export class Inbox implements InboxSlot {
  readonly #deps: InboxDeps;
  readonly #by: string | undefined;

  constructor(deps: InboxDeps, by?: string) {
    this.#deps = deps;
    this.#by = by;
  }

  async receive(given: readonly InboundMessage[]): Promise<readonly Receipt[]> {
    const messages = given.map((message) => this.#spoken(message));
    const receipts: Receipt[] = messages.map(() => "accepted");
    const store = storeOf(this.#deps.registry);
    if (await this.#deps.admission.isFull(store, messages.length)) return messages.map(() => "full");
    const fresh: { message: InboundMessage; at: number }[] = [];
    for (const [at, message] of messages.entries()) {
      if (await this.#deps.senders.refusal(message)) receipts[at] = "refused";
      else if (!(await this.#isControl(message))) fresh.push({ message, at });
    }
    const accepted = await this.#accept(
      store,
      fresh.map(({ message }) => message),
    );
    fresh.forEach(({ at }, i) => (receipts[at] = accepted[i] as Receipt));
    return receipts;
  }

  /** Takes what a chat command says in its person's name; what the guards refuse is told to nobody. */
  async begin(message: InboundMessage): Promise<void> {
    if ((await this.#deps.senders.refusal(message)) === undefined)
      await this.#accept(storeOf(this.#deps.registry), [message]);
  }

  /** Returns the inbox as one plugin has it: the turns and calls that it begins carry its name. */
  as(plugin: string): Inbox {
    return new Inbox(this.#deps, plugin);
  }

  async prompt(given: InboundMessage, asked: PromptOptions): Promise<TurnResult> {
    const { conversations, words, turn } = this.#deps;
    checkPromptOptions(asked);
    await this.#refuseTaken(asked);
    const call = callAround();
    const message = call ? ownWords(given) : this.#spoken(given);
    const options = await placed(asked, turn.workspace, call?.turn);
    if (call) return conversations.promptWithin(call, message, options);
    const session = await conversations.enter(message, options);
    let said = await words.answer(message, session, options);
    if (said === undefined) return conversations.prompt(message, session, options);
    let result: TurnResult | undefined;
    const replies: string[] = [];
    while (typeof said === "object") {
      await conversations.admit(said);
      const apart = `${result?.reply ? "\n\n" : ""}${said.told ? `${said.told}\n\n` : ""}`;
      if (apart !== "") options.onEvent?.({ type: "delta", text: apart });
      result = await conversations.prompt(said, session, options);
      replies.push(said.told ?? "", result.reply);
      said = options.signal.aborted ? undefined : await words.next(said, session, result, options);
    }
    if (!result) return resultOf(session, said ?? "");
    if (said) options.onEvent?.({ type: "delta", text: `\n\n${said}` });
    return { ...result, reply: [...replies, said].filter(Boolean).join("\n\n") };
  }

  async call(given: InboundMessage, asked: CallOptions): Promise<ToolCallOutcome> {
    const { conversations, turn } = this.#deps;
    checkPromptOptions(asked);
    const options = await placed(asked, turn.workspace, callAround()?.turn);
    return conversations.call(this.#spoken(given), options);
  }

  /** Returns the message with no more than its writer and their token may. Throws SCOPE_MISSING. */
  #spoken(given: InboundMessage): InboundMessage {
    const own = { ...ownWords(given), ...(this.#by !== undefined && { by: this.#by }) };
    // A call within a tool speaks for the person of its turn, whoever woke that turn.
    const message = this.#deps.people.narrowed(callAround() ? own : withinCaller(own));
    const { caller } = message;
    if (caller?.may.includes("talk") === false) throw lacking("talk", caller);
    return message;
  }

  /** A caller's tool must never be mistaken for one that is run here. */
  async #refuseTaken({ clientTools = [] }: PromptOptions): Promise<void> {
    if (clientTools.length === 0) return;
    const own = await this.#deps.tools.all();
    const taken = clientTools.find(({ name }) => own.has(name));
    if (taken) throw errors.TOOL_CLIENT_TAKEN(taken.name);
  }

  /** What is over its sender's bound is refused, not left for later: a platform would deliver it again and again. */
  async #accept(store: Store, messages: readonly InboundMessage[]): Promise<readonly Receipt[]> {
    const { admission, observers } = this.#deps;
    const added = await store.lanes.accept(messages, { maxPerSender: admission.maxPerSender });
    admission.accepted(added.filter((one) => one === "accepted").length);
    for (const [i, message] of messages.entries()) {
      if (added[i] === "over") await admission.over(store, message);
      if (added[i] === "accepted") observers.tell("laneMoved", laneMove(message, "accepted"));
    }
    return added.map((one) => (one === "over" ? "refused" : one));
  }

  async #isControl(message: InboundMessage): Promise<boolean> {
    for (const control of this.#deps.controls) if (await control(message)) return true;
    return false;
  }
}

/** Only a chat command begins a turn of its own, and only the host asks again or says who began. */
function ownWords(message: InboundMessage): InboundMessage {
  const { system: _, again: __, command: ___, told: ____, by: _____, ...rest } = message;
  return rest;
}
