import {
  ChatCommands,
  listAll,
  Store,
  textOf,
  type ChatCommand,
  type ChatCommandRun,
  type GantryError,
  type InboundMessage,
  type Logger,
  type PromptOptions,
  type Scope,
  type Trust,
  type TurnResult,
} from "@gantry/sdk";
import { isCommandPrompt, lacking, laneOf, userOf, type Notice } from "@gantry/sdk/fill";
import { asError } from "@gantry/sdk/node";
import { inFolder, type Widest } from "./agents.ts";
import { CommandsUnderWay } from "./commands-under-way.ts";
import type { Outbox } from "./outbox.ts";
import { Control, type ControlDeps } from "./conversation-control.ts";
import { chatOf } from "../tools/origin.ts";
import { scopesOf } from "../tools/scopes.ts";
import { workspaceNow } from "../tools/workspace-now.ts";
import { sentences } from "./sentences.ts";

/** A word and what stands behind it; a path (`/etc/hosts`) is none. Some platforms write the bot's name behind the word. */
const form = /^\s*\/([a-z][a-z0-9-]*)(?:@\w+)?(?:\s+([^]*))?$/i;
/** How far back a platform may deliver a message again. */
const knownMs = 8 * 86_400_000;
const knownSpace = "chat-commands";
/** What is kept of a command before and after it was done. One that was begun by a process that died is not done again. */
const begun = "begun";
const done = "done";
/** What the sender of a command that takes long is told if its process dies at it. */
const underWaySpace = "chat-commands-under-way";
/** Of notices: what a command came to is said once. */
const about = "command";
const ranks: readonly Trust[] = ["guest", "member", "owner"];

/** Such a message is answered at once, whatever else goes on. */
export function isChatCommand(message: InboundMessage): boolean {
  return form.test(textOf(message.parts));
}

/** What a person is told, or a message that they say by a command. */
type Said = string | InboundMessage | undefined;

type Asked = Partial<PromptOptions>;

interface Deps extends ControlDeps, Widest {
  /** Takes what a command says as a message of its person, behind the guards. */
  readonly begin: (message: InboundMessage) => Promise<void>;
  readonly log: Logger;
  readonly outbox: Outbox;
}

/** Words behind a slash are answered here, by the service; no model ever sees one. */
export class ChatWords {
  readonly #deps: Deps;
  readonly #underWay: CommandsUnderWay;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#underWay = new CommandsUnderWay(deps.log);
  }

  /** Whose command was under way when the process before ended is told so. */
  async recover(store: Store): Promise<void> {
    for (const { key, value } of await listAll<Notice>(store.values, underWaySpace)) {
      if ((await store.values.get(knownSpace, key)) === begun) await store.lanes.post(value);
      await this.#done(store, key);
    }
  }

  /** Commands that are under way may end, until `signal`. */
  stop(signal: AbortSignal): Promise<void> {
    return this.#underWay.stop(signal);
  }

  /**
   * For a channel: true where the message was a command and is answered, once, however often it is delivered. One that
   * takes long is answered later.
   */
  async control(message: InboundMessage, session: string): Promise<boolean> {
    const store = this.#deps.registry.get(Store);
    if (!store || !isChatCommand(message)) return false;
    const key = `${message.channel}:${message.id}`;
    if (this.#underWay.has(key)) return true;
    const cutOff = sentences.cutOff(textOf(message.parts));
    const { outbox } = this.#deps;
    await this.#underWay.run(
      key,
      session,
      () => this.#once(store, key, message, session),
      async () => store.values.put(underWaySpace, key, await outbox.notice(message, about, cutOff)),
    );
    return true;
  }

  async #once(store: Store, key: string, message: InboundMessage, session: string): Promise<void> {
    const { outbox } = this.#deps;
    const isNew = await store.values.add(knownSpace, key, begun, { forMs: knownMs });
    if (!isNew && (await store.values.get(knownSpace, key)) !== begun) return;
    const cutOff = sentences.cutOff(textOf(message.parts));
    const said = isNew ? ((await this.answer(message, session)) ?? "") : cutOff;
    if (typeof said !== "string") await this.#deps.begin(said);
    else if (said !== "") await store.lanes.post(await outbox.notice(message, about, said));
    await this.#done(store, key);
  }

  /** For a channel: puts what a command says next on disk before the answer of its turn is. Returns what that tells too. */
  async goOn(message: InboundMessage, result: TurnResult): Promise<string> {
    const said = (await this.next(message, laneOf(message), result)) ?? "";
    if (typeof said !== "string") await this.#deps.begin(said);
    return typeof said === "string" ? said : "";
  }

  async #done({ values }: Store, key: string): Promise<void> {
    await values.put(knownSpace, key, done, { forMs: knownMs });
    await values.remove(underWaySpace, key);
  }

  /** What the person is told or says by it; undefined where the message is no command. Never throws. */
  async answer(message: InboundMessage, session: string, options: Asked = {}): Promise<Said> {
    const [, word, args = ""] = form.exec(textOf(message.parts)) ?? [];
    if (word === undefined) return undefined;
    return inFolder(this.#deps, message, session, options, async () => {
      const commands = this.#commandsFor(message);
      // A word of somebody else's command is nobody's, too.
      const known = this.#deps.registry.get(ChatCommands)?.get(word.toLowerCase());
      const named = commands.find((one) => one === known);
      const command = known ? named : await this.#alsoFor(word, commands);
      if (!command) return unscoped(known, message)?.message ?? unknown(word, commands);
      // Each of its turns would begin with nothing, and what one has taken in be unknown to the next.
      if (options.keep === false && command.next) return sentences.unkept(command.name);
      const { parts, trust } = message;
      const { signal = this.#underWay.over.signal } = options;
      const { workspace } = this.#deps.turn;
      const facts = { parts, trust, user: userOf(message), origin: chatOf(message), signal, commands };
      const run: ChatCommandRun = {
        ...facts,
        args: (named ? args : `${word} ${args}`).trim(),
        conversation: new Control(this.#deps, message, session),
        get workspace() {
          return workspaceNow() ?? workspace;
        },
      };
      try {
        return saidBy(message, command, await command.run(run));
      } catch (error) {
        return this.#failure(session, command, error);
      }
    });
  }

  /** Returns what a command says once a turn that it began has ended. Never throws. */
  async next(message: InboundMessage, session: string, result: TurnResult, options: Asked = {}) {
    const command = this.#deps.registry.get(ChatCommands)?.get(message.command ?? "");
    if (!command || result.stopped) return undefined;
    try {
      const { parts: prompt, trust } = message;
      const ended = { user: userOf(message), trust, session, prompt, result };
      const said = await inFolder(this.#deps, message, session, options, () => command.next?.(ended));
      // Each of its turns is accepted once.
      return said === undefined ? said : saidBy({ ...message, id: `${message.id} +` }, command, said);
    } catch (error) {
      return this.#failure(session, command, error);
    }
  }

  #failure(session: string, { name }: ChatCommand, error: unknown): string {
    this.#deps.log.warn({ lane: session, command: name, err: asError(error) }, `/${name} failed.`);
    return `/${name} could not be done: ${asError(error).message}`;
  }

  #commandsFor(message: InboundMessage): readonly ChatCommand[] {
    const { trust, conversation } = message;
    const all = [...(this.#deps.registry.get(ChatCommands)?.values() ?? [])];
    const usual: Trust = conversation.kind === "direct" ? "guest" : "member";
    const has = scopesOf(message);
    const trusted = all.filter((one) => ranks.indexOf(one.trust ?? usual) <= ranks.indexOf(trust));
    const may = trusted.filter((command) => has.includes(scopeFor(command)));
    return may.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** One that cannot say whether a word is its own does not answer it. */
  async #alsoFor(word: string, commands: readonly ChatCommand[]): Promise<ChatCommand | undefined> {
    for (const command of commands)
      try {
        if (await command.alsoFor?.(word)) return command;
      } catch (error) {
        this.#deps.log.warn({ err: asError(error) }, `/${command.name} cannot say what it also answers.`);
      }
    return undefined;
  }
}

/** Returns the refusal of a command to a caller whose token lacks a scope for it. */
function unscoped(command: ChatCommand | undefined, { caller }: InboundMessage): GantryError | undefined {
  if (!command || !caller) return undefined;
  const scope = scopeFor(command);
  const missing = caller.may.includes(scope) ? "decide" : scope;
  return caller.may.includes(missing) ? undefined : lacking(missing, caller);
}

/** Returns the scope that a token needs for a command; one of owners needs `decide` besides. */
function scopeFor({ may, trust }: ChatCommand): Scope {
  return may ?? (trust === "owner" ? "manage" : "talk");
}

/** Returns what a command tells its person, or the message that it says in their name. */
function saidBy(message: InboundMessage, { name }: ChatCommand, said: unknown): string | InboundMessage {
  if (typeof said === "string") return said;
  if (!isCommandPrompt(said)) throw new Error("it answered neither text nor parts.");
  const { quoted: _, system: __, told: ___, ...rest } = message;
  const { prompt: parts, system, told } = said;
  return { ...rest, command: name, parts, ...(system !== undefined && { system }), ...(told && { told }) };
}

function unknown(word: string, commands: readonly ChatCommand[]): string {
  const names = commands.map(({ name }) => `/${name}`).join(" ");
  const known = names === "" ? "There are none." : `There are: ${names}.`;
  return `There is no command /${word} for you. ${known} Write // to begin a message with a slash.`;
}
