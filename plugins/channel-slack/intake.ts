import type { Inbox, Part } from "@gantry/sdk";
import { Admission, isForAgent, receiveAll, type AdmissionNeeds } from "@gantry/sdk/channel";
import { asAttachment } from "./files.ts";
import { keyOf, placeOf, type Place, type Places } from "./places.ts";
import { readMessage, type SlackMessage } from "./read-message.ts";
import type { Me } from "./read-mrkdwn.ts";
import type { Settings } from "./settings.ts";
import type { Surroundings } from "./surroundings.ts";
import type { WebApi } from "./web-api.ts";
import type { WireMessage } from "./wire.ts";

export interface IntakeNeeds extends AdmissionNeeds {
  readonly settings: Settings;
  readonly api: WebApi;
  readonly surroundings: Surroundings;
  readonly places: Places;
  readonly inbox: Inbox;
}

/** Takes what people write: in order within a place, side by side over several, each message once. */
export class Intake {
  readonly #needs: IntakeNeeds;
  readonly #admission: Admission;
  /** What is being taken, by the message's id: Slack sends one text as several events, and again where it is not acknowledged. */
  readonly #running = new Map<string, Promise<void>>();
  /** The last of each place. */
  readonly #last = new Map<string, Promise<void>>();

  constructor(needs: IntakeNeeds) {
    this.#needs = needs;
    this.#admission = new Admission("slack", needs);
  }

  /** Resolves once the message is on disk or is none for the agent. Throws what the inbox throws. */
  take(wire: WireMessage, me: Me, signal: AbortSignal): Promise<void> {
    const message = this.#read(wire, me);
    if (message === undefined) return Promise.resolve();
    const same = this.#running.get(message.id);
    if (same) return same;

    const place = placeOf(message);
    const before = this.#last.get(keyOf(place)) ?? this.#last.get(place.channel) ?? Promise.resolve();
    const taken = before.then(() => this.#admit(message, signal));
    const done = taken.finally(() => this.#running.delete(message.id));
    this.#running.set(message.id, done);
    this.hold(place, done);
    return done;
  }

  /** What is taken of this place from now on waits for the work, whatever comes of it. */
  hold(place: Omit<Place, "ts">, work: Promise<void>): void {
    const key = keyOf(place);
    const settled = work
      .catch(() => {})
      .finally(() => {
        if (this.#last.get(key) === settled) this.#last.delete(key);
      });
    this.#last.set(key, settled);
  }

  /** Takes what was missed in a place that is held, one after the other. */
  async takeMissed(wires: readonly WireMessage[], me: Me, signal: AbortSignal): Promise<void> {
    for (const wire of wires) {
      const message = this.#read(wire, me);
      if (message !== undefined) await this.#admit(message, signal);
    }
  }

  /** What cannot be read is left out with a line in the log, so that it keeps nothing else back. */
  #read(wire: WireMessage, me: Me): SlackMessage | undefined {
    const { settings, log } = this.#needs;
    try {
      const message = readMessage(wire, me, settings);
      if (message === undefined) return undefined;
      const { conversation, mentioned } = message;
      const place = { kind: conversation.kind, group: conversation.id, mentioned };
      return isForAgent(place, settings.groups, settings.channelIds) ? message : undefined;
    } catch (error) {
      log.warn({ ts: String(wire?.ts) }, `A message of Slack was left out, as ${(error as Error).message}.`);
      return undefined;
    }
  }

  async #admit(message: SlackMessage, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { api, people, places, inbox } = this.#needs;
    const { channel } = message.replyTo;
    const trust = await people.trust(message.sender.id);
    const admitted = await this.#admission.admit(
      trust === undefined ? message : await this.#withSurroundings(message, signal),
      {
        trust,
        attachments: message.files.map((file) => asAttachment(file, api)),
        answer: (text) => api.call("chat.postMessage", { channel, text }, { signal }),
      },
      signal,
    );
    if (admitted === undefined) return;
    await receiveAll(inbox, [admitted], signal);
    if (trust !== undefined) await places.reached(message);
  }

  /** With the writer's name, and with what stands before it in its thread. */
  async #withSurroundings(message: SlackMessage, signal: AbortSignal): Promise<SlackMessage> {
    const { sender } = message;
    const name = await this.#needs.surroundings.nameOf(sender.id, signal);
    const before = await this.#threadBefore(message, signal);
    return {
      ...message,
      sender: { ...sender, ...(name !== undefined && { name }) },
      quoted: [...before, ...message.quoted],
    };
  }

  /** What others wrote in a thread before the app was asked there: material. */
  async #threadBefore({ replyTo, ts }: SlackMessage, signal: AbortSignal): Promise<readonly Part[]> {
    const { places, surroundings } = this.#needs;
    const { channel, thread } = replyTo;
    if (thread === undefined || thread === ts || (await places.knows(channel, thread))) return [];
    return surroundings.threadBefore({ channel, thread, ts }, signal);
  }
}
