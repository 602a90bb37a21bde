import {
  textParts,
  type Audit,
  type Inbox,
  type InboundMessage,
  type Logger,
  type Media,
  type Part,
  type Transcriber,
} from "@gantry/sdk";
import {
  isForAgent,
  pairByCode,
  receiveAll,
  takeAttachments,
  type KeepBytes,
  type LetIn,
  type PairingCodes,
} from "@gantry/sdk/channel";
import { asAttachment } from "./files.ts";
import { keyOf, placeOf, type Place, type Places } from "./places.ts";
import { readMessage, type SlackMessage } from "./read-message.ts";
import type { Me } from "./read-mrkdwn.ts";
import type { Settings } from "./settings.ts";
import type { Surroundings } from "./surroundings.ts";
import type { WebApi } from "./web-api.ts";
import type { WireMessage } from "./wire.ts";

export interface IntakeNeeds {
  readonly settings: Settings;
  readonly api: WebApi;
  readonly people: LetIn;
  readonly surroundings: Surroundings;
  readonly places: Places;
  readonly inbox: Inbox;
  readonly audit: Audit;
  readonly codes: PairingCodes;
  /** Undefined: bytes are kept nowhere. */
  readonly media: Media | undefined;
  /** Undefined: nobody can tell what is said in a voice message. */
  readonly transcriber: Transcriber | undefined;
  readonly log: Logger;
}

/** Takes what people write: in order within a place, side by side over several, each message once. */
export class Intake {
  readonly #needs: IntakeNeeds;
  /** What is being taken, by the message's id: Slack sends one text as several events, and again where it is not acknowledged. */
  readonly #running = new Map<string, Promise<void>>();
  /** The last of each place. */
  readonly #last = new Map<string, Promise<void>>();

  constructor(needs: IntakeNeeds) {
    this.#needs = needs;
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

  /** With the writer's trust. A stranger's goes in as it is: the guard refuses and records it. */
  async #admit(message: SlackMessage, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { people, settings, surroundings, places, inbox } = this.#needs;
    const { id, timestamp, conversation, replyTo, text, mentioned } = message;
    const trust = await people.trust(message.sender.id);
    const isKnown = trust !== undefined;
    if (!isKnown && settings.pairing && (await this.#pair(message, signal))) return;
    const attached = isKnown ? await this.#attached(message, signal) : [];
    const name = isKnown ? await surroundings.nameOf(message.sender.id, signal) : undefined;
    const quoted = isKnown
      ? [...(await this.#threadBefore(message, signal)), ...message.quoted]
      : message.quoted;
    const inbound: InboundMessage = {
      channel: "slack",
      id,
      timestamp,
      sender: { ...message.sender, ...(name !== undefined && { name }) },
      conversation,
      replyTo: { ...replyTo },
      parts: [...(text === "" ? [] : textParts(text)), ...attached],
      ...(quoted.length > 0 && { quoted }),
      mentioned,
      trust: trust ?? "guest",
    };
    await receiveAll(inbox, [inbound], signal);
    if (isKnown) await places.reached(message);
  }

  #attached({ files, sender }: SlackMessage, signal: AbortSignal): Promise<readonly Part[]> {
    const { api, media, transcriber } = this.#needs;
    const user = `slack:${sender.id}`;
    const keep: KeepBytes | undefined = media && ((bytes, facts) => media.put(bytes, { ...facts, user }));
    return takeAttachments(
      files.map((file) => asAttachment(file, api)),
      keep,
      signal,
      transcriber,
    );
  }

  /** What others wrote in a thread before the app was asked there: material. */
  async #threadBefore({ replyTo, ts }: SlackMessage, signal: AbortSignal): Promise<readonly Part[]> {
    const { places, surroundings } = this.#needs;
    const { channel, thread } = replyTo;
    if (thread === undefined || thread === ts || (await places.knows(channel, thread))) return [];
    return surroundings.threadBefore({ channel, thread, ts }, signal);
  }

  /** True if it was a code, right or wrong: such a message is nobody's question. */
  async #pair({ conversation, sender, text, replyTo }: SlackMessage, signal: AbortSignal): Promise<boolean> {
    const { audit, codes, people, api, log } = this.#needs;
    if (conversation.kind !== "direct") return false;
    const { paired } = people;
    const answer = await pairByCode({
      channel: "slack",
      people: paired,
      codes,
      audit,
      id: sender.id,
      name: "",
      text,
    });
    if (answer === undefined) return false;
    await api
      .call("chat.postMessage", { channel: replyTo.channel, text: answer }, { signal })
      .catch((error: Error) => log.warn({}, `An answer about pairing was not sent: ${error.message}`));
    return true;
  }
}
