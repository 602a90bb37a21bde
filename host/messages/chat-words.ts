import {
  ChatCommands,
  Store,
  textOf,
  userOf,
  type ChatCommand,
  type InboundMessage,
  type Logger,
  type Trust,
  type TurnResult,
} from "@gantry/sdk";
import { asError } from "@gantry/sdk/node";
import type { Outbox } from "./outbox.ts";
import { Control, type ControlDeps } from "./conversation-control.ts";
import { noUsage } from "../turn/turn.ts";
import { sentences } from "./sentences.ts";

/** A word and what stands behind it; a path (`/etc/hosts`) is none. Some platforms write the bot's name behind the word. */
const form = /^\s*\/([a-z][a-z0-9-]*)(?:@\w+)?(?:\s+([^]*))?$/i;
/** How far back a platform may deliver a message again. */
const knownMs = 8 * 86_400_000;
const knownSpace = "chat-commands";
/** What is kept of a command before and after it was done. One that was begun by a process that died is not done again. */
const begun = "begun";
const done = "done";
const ranks: readonly Trust[] = ["guest", "member", "owner"];

interface Deps extends ControlDeps {
  readonly log: Logger;
  readonly outbox: Outbox;
}

/** Words behind a slash are answered here, by the service; no model ever sees one. */
export class ChatWords {
  readonly #deps: Deps;
  readonly #running = new Set<string>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** For a channel: true where the message was a command and is answered, once, however often it is delivered. */
  async control(message: InboundMessage, session: string): Promise<boolean> {
    const { registry, outbox } = this.#deps;
    const store = registry.get(Store);
    if (!store || !form.test(textOf(message.parts))) return false;
    const key = `${message.channel}:${message.id}`;
    if (this.#running.has(key)) return true;
    this.#running.add(key);
    try {
      const isNew = await store.values.add(knownSpace, key, begun, { forMs: knownMs });
      if (!isNew && (await store.values.get(knownSpace, key)) !== begun) return true;
      const said = isNew
        ? ((await this.answer(message, session)) ?? "")
        : sentences.cutOff(textOf(message.parts));
      if (said !== "") await store.lanes.post(outbox.notice(message, "command", said));
      await store.values.put(knownSpace, key, done, { forMs: knownMs });
      return true;
    } finally {
      this.#running.delete(key);
    }
  }

  /** What the person is told; undefined where the message is no command. Never throws. */
  async answer(message: InboundMessage, session: string): Promise<string | undefined> {
    const [, word, args = ""] = form.exec(textOf(message.parts)) ?? [];
    if (word === undefined) return undefined;
    const commands = this.#commandsFor(message.trust);
    const command = commands.find(({ name }) => name === word.toLowerCase());
    if (!command) return unknown(word, commands);
    const conversation = new Control(this.#deps, message, session);
    try {
      const facts = { user: userOf(message), trust: message.trust };
      return await command.run({ args: args.trim(), ...facts, conversation, commands });
    } catch (error) {
      this.#deps.log.warn(
        { lane: session, command: command.name, err: asError(error) },
        `/${command.name} failed.`,
      );
      return `/${command.name} could not be done: ${asError(error).message}`;
    }
  }

  #commandsFor(trust: Trust): readonly ChatCommand[] {
    const all = [...(this.#deps.registry.get(ChatCommands)?.values() ?? [])];
    const may = all.filter((command) => ranks.indexOf(command.trust ?? "guest") <= ranks.indexOf(trust));
    return may.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** As a caller who waits gets it, and who is told something in any case. */
export function saidBy(session: string, said: string): TurnResult {
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

function unknown(word: string, commands: readonly ChatCommand[]): string {
  const names = commands.map(({ name }) => `/${name}`).join(" ");
  const known = names === "" ? "There are none." : `There are: ${names}.`;
  return `There is no command /${word} for you. ${known} Write // to begin a message with a slash.`;
}
