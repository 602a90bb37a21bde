import {
  describeMedia,
  isVerbatim,
  type OutgoingMessage,
  type Part,
  type Sent,
  type Store,
} from "@gantry/sdk";
import {
  plainText,
  readMarkdown,
  renderHtml,
  renderPlain,
  sendInParts,
  type RichText,
} from "@gantry/sdk/channel";
import type { Logins } from "./logins.ts";
import { ownId } from "./message-id.ts";
import type { Pace } from "./pace.ts";
import { readReplyAddress, type ReplyAddress } from "./reply-address.ts";
import type { SendingRecord } from "./sending-record.ts";
import type { Settings } from "./settings.ts";
import type { OutgoingMail, Smtp } from "./smtp.ts";
import { replySubject } from "./subject.ts";
import type { Threads } from "./threads.ts";
import { MailTrouble } from "./trouble.ts";

/**
 * Most bytes of the files in a mail: most servers take 25 MB, and files grow by a third on the way.
 */
const maxFileBytes = 15 * 1024 * 1024;
const space = "email.parts";

export interface SenderNeeds {
  readonly settings: Settings;
  readonly smtp: Smtp;
  readonly logins: Logins;
  readonly threads: Threads;
  readonly pace: Pace;
  readonly record: SendingRecord;
  store(): Store;
  /** Returns the bytes of a piece of media; undefined if they are not kept, or no longer. */
  open(id: string): Promise<Uint8Array | undefined>;
}

type Files = OutgoingMail["files"];

/**
 * Sends answers: one mail each, with its files, and more mails if the files are too large for one.
 */
export class Sender {
  readonly #needs: SenderNeeds;

  constructor(needs: SenderNeeds) {
    this.#needs = needs;
  }

  /** Never throws. */
  async send({ to, parts, key }: OutgoingMessage, signal: AbortSignal): Promise<Sent> {
    const address = readReplyAddress(to);
    if (address === undefined)
      return { status: "refused", reason: `${JSON.stringify(to)?.slice(0, 200)} is not an address for mail` };
    try {
      const waitMs = await this.#needs.pace.waitMs(address.to, key);
      if (waitMs !== undefined)
        return {
          status: "retry",
          reason: `${address.to} was sent as many mails as an hour allows`,
          afterMs: waitMs,
        };
      const { text, files } = await this.#read(parts);
      return await sendInParts({
        values: this.#needs.store().values,
        space,
        key,
        parts: inMails(files).map((some, i) => ({ text: i === 0 ? text : "", files: some })),
        instead: withoutFiles,
        send: (mail, part) =>
          this.#deliver({ ...mail, address, key, part, verbatim: isVerbatim(parts) }, signal),
      });
    } catch (error) {
      return { status: "retry", reason: (error as Error).message };
    }
  }

  /** Returns the text of all parts, and their files; a missing file is a line of the text. */
  async #read(parts: readonly Part[]): Promise<{ readonly text: string; readonly files: Files }> {
    const lines: string[] = [];
    const files: Files[number][] = [];
    for (const part of parts) {
      if (part.type === "text") lines.push(part.text);
      if (part.type !== "media") continue;
      const { id, mime, name = `file-${files.length + 1}`, alt } = part.media;
      const bytes = await this.#needs.open(id).catch(() => undefined);
      if (bytes !== undefined) files.push({ name, mime, bytes });
      if (bytes === undefined) lines.push(describeMedia(part.media));
      else if (alt !== undefined) lines.push(`${name}: ${alt}`);
    }
    return { text: lines.join("\n"), files };
  }

  async #deliver(piece: Piece, signal: AbortSignal): Promise<Sent> {
    const { settings, record, threads } = this.#needs;
    const { address, key, part } = piece;
    const id = ownId(key, part, settings.address);
    const subject = replySubject(address.subject ?? "Message from the agent");
    const rich = piece.verbatim ? plainText(piece.text) : await readMarkdown(piece.text);
    const mail = mailOf(piece, rich, { id, subject });
    try {
      // Known before it is sent, so that an answer finds its thread whatever happens here.
      await threads.keep(address.to, id, address.root ?? id, true, subject);
      await this.#hand(mail, signal);
      record.sent();
      return { status: "sent", id };
    } catch (error) {
      if (!(error instanceof MailTrouble)) throw error;
      if (signal.aborted) return { status: "retry", reason: "the sending was ended" };
      if (error.kind !== "mail" && error.kind !== "later") await record.failed(error.message);
      return sentOf(error);
    }
  }

  /**
   * Hands a mail to the server. A form that the server does not take (5.6.x) is left out, once: an
   * answer must not vanish for its looks.
   */
  async #hand(mail: OutgoingMail, signal: AbortSignal): Promise<void> {
    const { smtp, logins } = this.#needs;
    await logins
      .during(() => smtp.send(mail, signal))
      .catch((error: unknown) => {
        const isForm = error instanceof MailTrouble && /^5\.6\.\d/.test(error.reply?.enhanced ?? "");
        if (!isForm || mail.html === undefined) throw error;
        return smtp.send({ ...mail, html: undefined }, signal);
      });
  }
}

interface Content {
  readonly text: string;
  readonly files: Files;
}

interface Piece extends Content {
  readonly address: ReplyAddress;
  readonly key: string;
  readonly part: number;
  readonly verbatim: boolean;
}

function mailOf(
  { address, text, files, verbatim }: Piece,
  rich: RichText,
  { id, subject }: { readonly id: string; readonly subject: string },
): OutgoingMail {
  const { to, inReplyTo, references } = address;
  const html = `<!doctype html>\n<html><body>\n${renderHtml(rich, { breaks: true })}\n</body></html>\n`;
  return {
    to,
    subject,
    text: renderPlain(rich),
    // In HTML a text that is shown character by character would lose its white space.
    html: text === "" || verbatim ? undefined : html,
    id,
    inReplyTo,
    references,
    files,
  };
}

/**
 * Returns the mail with a sentence in place of each file, for a server that refuses them; undefined
 * for one without any.
 */
function withoutFiles({ text, files }: Content, reason: string): Content | undefined {
  if (files.length === 0) return undefined;
  const lines = files.map(({ name }) => `The file ${name} was not delivered: ${reason}`);
  return { text: [text, ...lines].filter((line) => line !== "").join("\n"), files: [] };
}

/** Distributes files in order, each mail as full as it may be; without files there is one mail. */
function inMails(files: Files): readonly Files[] {
  const mails: Files[number][][] = [[]];
  let room = maxFileBytes;
  for (const file of files) {
    if (file.bytes.length > room && mails.at(-1)?.length !== 0) {
      mails.push([]);
      room = maxFileBytes;
    }
    mails.at(-1)?.push(file);
    room -= file.bytes.length;
  }
  return mails;
}

function sentOf({ kind, message: reason }: MailTrouble): Sent {
  if (kind === "mail") return { status: "refused", reason };
  return kind === "later" ? { status: "retry", reason } : { status: "retry", reason, scope: "channel" };
}
