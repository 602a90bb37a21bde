import type { Audit } from "../security/audit.ts";
import type { InboundMessage, Sender } from "../messages/channel.ts";
import { textParts, type Json, type Part } from "../messages/content.ts";
import type { Logger } from "../contract/logger.ts";
import type { Media, MediaFacts } from "../messages/media.ts";
import type { Transcriber } from "../messages/speech.ts";
import type { Trust } from "../security/trust.ts";
import { takeAttachments, type Attachment } from "./attachments.ts";
import type { LetIn } from "./let-in.ts";
import { pairByCode, type PairingCodes } from "./pairing.ts";
import type { PlatformMessage } from "./platform-message.ts";

export interface AdmissionNeeds {
  readonly people: LetIn;
  readonly audit: Audit;
  readonly codes: PairingCodes;
  /** Undefined: bytes are kept nowhere. */
  readonly media: Media | undefined;
  /** Undefined: nobody can tell what is said in a voice message. */
  readonly transcriber?: Transcriber | undefined;
  readonly log: Logger;
}

/** The channel's other facts about a message. */
export interface Admitted {
  /** Undefined for somebody who may not write. */
  readonly trust: Trust | undefined;
  readonly attachments: readonly Attachment[];
  /** Tells the writer what came of a pairing code; may throw. */
  answer(text: string): Promise<unknown>;
}

/** Makes a message for the inbox of what a person wrote. */
export class Admission {
  readonly #channel: string;
  readonly #needs: AdmissionNeeds;

  constructor(channel: string, needs: AdmissionNeeds) {
    this.#channel = channel;
    this.#needs = needs;
  }

  /**
   * Returns the message with its writer's trust, or undefined if it was a pairing code. A
   * stranger's message goes in as it is, without its files: the guard refuses and records it.
   */
  async admit(
    message: PlatformMessage,
    { trust, attachments, answer }: Admitted,
    signal: AbortSignal,
  ): Promise<InboundMessage | undefined> {
    const { id, timestamp, sender, conversation, replyTo, text, mentioned, forwarded = false } = message;
    const mayPair = trust === undefined && conversation.kind === "direct";
    if (mayPair && (await this.pair(sender, text, answer))) return undefined;
    const attached = trust === undefined ? [] : await this.attached(sender.id, attachments, signal);
    const quoted = forwarded ? [...message.quoted, ...attached] : message.quoted;
    return {
      channel: this.#channel,
      id,
      timestamp,
      sender,
      conversation,
      replyTo: { ...replyTo } as Json,
      parts: [...(text === "" ? [] : textParts(text)), ...(forwarded ? [] : attached)],
      ...(quoted.length > 0 && { quoted }),
      mentioned,
      trust: trust ?? "guest",
    };
  }

  /**
   * True if what a stranger wrote to the agent alone was a code, right or wrong: such a message is
   * nobody's question.
   */
  async pair({ id, name = "" }: Sender, text: string, answer: Admitted["answer"]): Promise<boolean> {
    const { people, audit, codes, log } = this.#needs;
    if (!people.pairs) return false;
    const attempt = { channel: this.#channel, people: people.paired, codes, audit, id, name, text };
    const outcome = await pairByCode(attempt);
    if (outcome === undefined) return false;
    await answer(outcome).catch((error: Error) =>
      log.warn({}, `An answer about pairing was not sent: ${error.message}`),
    );
    return true;
  }

  /** Returns the parts of what came with a message, kept on its writer's account. */
  attached(
    sender: string,
    attachments: readonly Attachment[],
    signal: AbortSignal,
  ): Promise<readonly Part[]> {
    const { media, transcriber } = this.#needs;
    const user = `${this.#channel}:${sender}`;
    const keep = media && ((bytes: Uint8Array, facts: MediaFacts) => media.put(bytes, { ...facts, user }));
    return takeAttachments(attachments, keep, signal, transcriber);
  }
}
