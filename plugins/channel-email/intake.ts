import { textParts, type Inbox, type InboundMessage, type Part } from "@gantry/sdk";
import { Admission, receiveAll, type AdmissionNeeds } from "@gantry/sdk/channel";
import type { ImapFlow } from "imapflow";
import { unanswerable } from "./answerable.ts";
import { isVouchedFor } from "./authenticity.ts";
import type { MailHead } from "./mail-head.ts";
import type { MailReader } from "./mail-reader.ts";
import { digest } from "./message-id.ts";
import { readBody, unreadable, type Expected } from "./read-mail.ts";
import { replyAddress } from "./reply-address.ts";
import type { Sender } from "./sender.ts";
import type { Settings } from "./settings.ts";
import { bareSubject, hasPrefix, isForward, isReply } from "./subject.ts";
import type { Thread, Threads } from "./threads.ts";

export interface IntakeNeeds extends AdmissionNeeds {
  readonly settings: Settings;
  readonly threads: Threads;
  readonly sender: Sender;
  readonly reader: MailReader;
  readonly inbox: Inbox;
}

/** A mail of which only the header was read. */
export interface FoundMail {
  readonly uid: number;
  readonly head: MailHead;
  /** Names it beyond its number. */
  readonly id: string;
  /** Unix ms at which its server got it. */
  readonly at: number;
  /** False if reading it failed so often that its words are left out. */
  readonly isReadable: boolean;
}

/** A mail that counts: from somebody whose address can be read, who may be a stranger. */
export interface WrittenMail extends FoundMail {
  readonly from: string;
  readonly name: string | undefined;
  /** True if its server says that the sender's domain stands behind it. */
  readonly isVouched: boolean;
}

/** Takes one mail: who it is from, whether it counts, what it says. */
export class Intake {
  readonly #needs: IntakeNeeds;
  readonly #admission: Admission;

  constructor(needs: IntakeNeeds) {
    this.#needs = needs;
    this.#admission = new Admission("email", needs);
  }

  /** Says by its header whether a mail counts; undefined for one that does not. */
  async judge(mail: FoundMail): Promise<WrittenMail | undefined> {
    const { settings, log } = this.#needs;
    const { head, uid } = mail;
    const reason = unanswerable(head, settings.address);
    if (reason !== undefined || head.from === undefined) {
      log.info({ uid }, `A mail is not answered, as ${reason}.`);
      return undefined;
    }
    const isVouched = settings.authservId !== undefined && isVouchedFor(head, settings.authservId);
    const written = { ...mail, from: head.from.address, name: head.from.name, isVouched };
    return settings.authservId !== undefined && !isVouched ? this.#forged(written) : written;
  }

  /**
   * Reads the message to hand in, which is not yet on disk; undefined if the mail is nobody's
   * question. Throws what reading throws.
   */
  async read(client: ImapFlow, mail: WrittenMail, signal: AbortSignal): Promise<InboundMessage | undefined> {
    const { settings, people } = this.#needs;
    const { head, isVouched } = mail;
    const trust = await people.trust(mail.from);
    const thread = await this.#needs.threads.of(head, isVouched);
    if (trust !== undefined) return this.#message(client, mail, { trust, thread }, signal);
    if (settings.pairing && (await this.#pair(client, mail, signal))) return undefined;
    // A stranger's goes in without its words: the guard refuses and records it.
    return this.#envelope(mail, thread, "guest", { text: head.subject, quoted: [], attached: [] });
  }

  /** Resolves once it is on disk; true if it is there now or was before. */
  async keep(mail: FoundMail, message: InboundMessage, signal: AbortSignal): Promise<boolean> {
    const { inbox, threads } = this.#needs;
    const { root = "" } = message.replyTo as { readonly root?: string };
    const { id, subject } = mail.head;
    const [receipt] = await receiveAll(inbox, [message], signal);
    if (receipt === "refused") return false;
    if (id !== undefined) await threads.keep(message.sender.id, id, root, false, subject);
    return true;
  }

  async #message(
    client: ImapFlow,
    mail: WrittenMail,
    { trust, thread }: { readonly trust: InboundMessage["trust"]; readonly thread: Thread },
    signal: AbortSignal,
  ): Promise<InboundMessage> {
    const { reader } = this.#needs;
    const expected = this.#expected(mail, thread.isAnswer);
    const source = { client, reader, signal };
    const body = mail.isReadable ? await readBody(source, mail.uid, expected) : unreadable;
    const attached = await this.#admission.attached(mail.from, body.attachments, signal);
    const isFirst = thread.root === mail.head.id || mail.head.references.length === 0;
    const subject = isFirst && !thread.isAnswer ? bareSubject(mail.head.subject) : "";
    // Many write the whole question into the subject; that of a carrier is somebody else's.
    const isOthers = expected.kind === "carrier" || (body.hasTail && hasPrefix(mail.head.subject));
    const said = [isOthers ? "" : subject, body.text].filter((text) => text !== "").join("\n\n");
    const empty = isOthers ? "[forwarded mail]" : "[an empty mail]";
    const text = said === "" && attached.length === 0 ? empty : said;
    const quoted = [...(isOthers && subject !== "" ? textParts(subject) : []), ...body.quoted];
    return this.#envelope(mail, thread, trust, { text, quoted, attached });
  }

  #expected({ head }: WrittenMail, isAnswer: boolean): Expected {
    const { subject, references } = head;
    const carries = references.length > 0 || isReply(subject) || isForward(subject);
    const kind = isAnswer ? "answer" : carries ? "carrier" : "own";
    return {
      kind,
      mayOmit: isReply(subject) || !hasPrefix(subject),
      own: this.#needs.settings.address.toLowerCase(),
    };
  }

  #envelope(
    { id, at, from, name, head }: WrittenMail,
    { root }: Thread,
    trust: InboundMessage["trust"],
    said: { readonly text: string; readonly quoted: readonly Part[]; readonly attached: readonly Part[] },
  ): InboundMessage {
    const title = bareSubject(head.subject);
    return {
      channel: "email",
      id,
      timestamp: Math.floor(at / 1_000),
      sender: { id: from, ...(name !== undefined && { name }) },
      conversation: {
        id: from,
        kind: "direct",
        thread: digest(root).slice(0, 16),
        ...(title !== "" && { title }),
      },
      replyTo: replyAddress(from, head.subject, head.id, head.references, root),
      parts: [...(said.text === "" ? [] : textParts(said.text)), ...said.attached],
      ...(said.quoted.length > 0 && { quoted: said.quoted }),
      trust,
    };
  }

  /**
   * Records a mail whose sender's domain does not vouch for it: one line, one record, no answer.
   */
  async #forged({ id, from, uid }: WrittenMail): Promise<undefined> {
    const { audit, log, settings } = this.#needs;
    log.warn(
      { uid },
      `A mail that says it is from ${from} is ignored: ${settings.authservId} does not vouch for it.`,
    );
    await audit.recordStranger({
      event_type: "inbound_ignored",
      tool: "",
      args: { message_id: id },
      result: "ignored: EMAIL_NOT_VOUCHED",
      user: `email:${from}`,
      session_id: "",
    });
    return undefined;
  }

  /** Returns true if it was a code, right or wrong: such a mail is nobody's question. */
  async #pair(client: ImapFlow, mail: WrittenMail, signal: AbortSignal): Promise<boolean> {
    const { sender, reader } = this.#needs;
    const source = { client, reader, signal };
    const { text } = mail.isReadable
      ? await readBody(source, mail.uid, this.#expected(mail, false))
      : unreadable;
    const { from: id, name, head } = mail;
    return this.#admission.pair({ id, ...(name !== undefined && { name }) }, text, async (answer) => {
      const to = replyAddress(id, head.subject, head.id, head.references, head.id ?? mail.id);
      const sent = await sender.send({ to, parts: textParts(answer), key: `${mail.id}:pairing` }, signal);
      if (sent.status !== "sent") throw new Error(sent.reason);
    });
  }
}
