import { GantryError, type InboundMessage, type Logger } from "@gantry/sdk";
import { type ChannelHealth, type ConnectionOptions, type Trouble } from "@gantry/sdk/channel";
import type { ImapFlow } from "imapflow";
import { openImap, type ImapNeeds } from "./imap.ts";
import type { FoundMail, Intake, WrittenMail } from "./intake.ts";
import type { Logins } from "./logins.ts";
import { maxHeadBytes, type MailHead } from "./mail-head.ts";
import { NoReader, type MailReader } from "./mail-reader.ts";
import { NewMail } from "./new-mail.ts";
import { digest } from "./message-id.ts";
import type { Position } from "./position.ts";
import { firstSince, numbersFrom } from "./search.ts";
import type { Marks, TwoPrograms } from "./two-programs.ts";
import { MailTrouble, troubleOf } from "./trouble.ts";

/** Servers end an IDLE after half an hour, and ways in between after less. */
const idleMs = 9 * 60_000;
/** Milliseconds that a large file may take. */
const slackMs = 5 * 60_000;
const busyMs = 60_000;
/** A mail that broke the connection so often is taken without its words. */
const maxReads = 3;

export interface MailboxNeeds extends ImapNeeds {
  readonly intake: Intake;
  readonly reader: MailReader;
  readonly position: Position;
  readonly logins: Logins;
  readonly twoPrograms: TwoPrograms;
  readonly health: ChannelHealth;
  readonly log: Logger;
}

/** Reads one folder: each mail is on disk before it is marked as seen and its number is passed. */
export class Mailbox implements ConnectionOptions {
  readonly #needs: MailboxNeeds;
  readonly health: ChannelHealth;
  readonly watchdogMs: number;
  /** The number of times that a mail was begun and not read to its end. */
  readonly #reads = new Map<number, number>();

  constructor(needs: MailboxNeeds) {
    const { idle, pollMs } = needs.settings;
    this.#needs = needs;
    this.health = needs.health;
    this.watchdogMs = (idle ? Math.max(idleMs, pollMs) : pollMs) + slackMs;
  }

  /** Reads over one connection, until something fails. */
  async run(signal: AbortSignal, alive: () => void): Promise<void> {
    const { logins, settings, health } = this.#needs;
    const client = await logins.during(() => openImap(this.#needs, signal));
    try {
      const news = new NewMail(client, settings, idleMs);
      while (!signal.aborted) {
        news.looked();
        await client.noop();
        await this.#catchUp(client, signal, alive);
        alive();
        health.up();
        await news.wait(signal);
      }
    } catch (error) {
      const isOwn = error instanceof GantryError && error.code.startsWith("STORE_");
      throw signal.aborted || isOwn ? error : troubleOf(error, settings.imap, settings);
    } finally {
      client.close();
    }
  }

  judge(error: unknown): Trouble {
    const reason = (error as Error).message;
    if (!(error instanceof MailTrouble)) return { reason };
    if (error.kind === "login") return { reason, refused: true, afterMs: this.#needs.logins.waitMs };
    if (error.kind === "server") return { reason, refused: true };
    return error.kind === "busy" ? { reason, leastMs: busyMs } : { reason };
  }

  /** Takes everything that came since the last look, oldest first. */
  async #catchUp(client: ImapFlow, signal: AbortSignal, alive: () => void): Promise<void> {
    const { position } = this.#needs;
    for (const uid of await numbersFrom(client, await this.#next(client))) {
      signal.throwIfAborted();
      await this.#take(client, uid, signal);
      await position.moved(uid + 1);
      this.#reads.delete(uid);
      alive();
    }
  }

  /** Returns the lowest number that was not taken. */
  async #next(client: ImapFlow): Promise<number> {
    const { position } = this.#needs;
    const { mailbox } = client;
    if (mailbox === false) throw new Error("no folder is open");
    const { uidValidity, uidNext } = mailbox;
    const known = position.next(uidValidity);
    if (known !== undefined) return known;
    const next = (await firstSince(client, position.notBefore)) ?? uidNext;
    await position.learned(uidValidity, uidNext, next);
    return next;
  }

  /** Takes one mail. Throws what the connection and the inbox throw; then the mail comes again. */
  async #take(client: ImapFlow, uid: number, signal: AbortSignal): Promise<void> {
    const { intake, position, twoPrograms, health } = this.#needs;
    const began = (this.#reads.get(uid) ?? 0) + 1;
    this.#reads.set(uid, began);
    const found = await this.#find(client, uid, began <= maxReads, signal);
    if (found === undefined || (await position.wasTaken(uid, found.id))) return;
    const mail = await intake.judge(found);
    if (mail === undefined || !(await twoPrograms.claim(client, uid, found))) return;
    const message = await this.#read(client, mail, signal);
    if (message === undefined) return;
    // The inbox may fail as often as it likes: it is not the mail's fault.
    this.#reads.delete(uid);
    if (!(await intake.keep(mail, message, signal))) return;
    health.event();
    await position.took(mail.id);
    await client.messageFlagsAdd(String(uid), ["\\Seen"], { uid: true, silent: true });
  }

  /** Returns a mail's header and its server's facts about it; undefined if it cannot be read. */
  async #find(
    client: ImapFlow,
    uid: number,
    isReadable: boolean,
    signal: AbortSignal,
  ): Promise<(FoundMail & Marks) | undefined> {
    const wanted = {
      flags: true,
      size: true,
      internalDate: true,
      bodyParts: [{ key: "header", start: 0, maxLength: maxHeadBytes }],
    };
    const found = await client.fetchOne(String(uid), wanted, { uid: true });
    const bytes = found ? found.headers : undefined;
    const head = bytes && (await this.#head(bytes, { uid, isReadable }, signal));
    if (!found || !head) return undefined;
    const { internalDate, flags = new Set<string>(), size = 0, modseq } = found;
    const id =
      head.id === undefined
        ? digest(Buffer.concat([bytes, Buffer.from(`${size}`)]))
        : digest(`${head.from?.address} ${head.id}`);
    const at = internalDate === undefined ? Date.now() : new Date(internalDate).getTime();
    return { uid, head, id, at, flags, isReadable, ...(modseq !== undefined && { modseq }) };
  }

  /**
   * Returns undefined for one that is left out. Throws when its reader did not start, or was ended:
   * then it comes again.
   */
  async #head(
    bytes: Uint8Array,
    { uid, isReadable }: Pick<FoundMail, "uid" | "isReadable">,
    signal: AbortSignal,
  ): Promise<MailHead | undefined> {
    const head = await this.#needs.reader.head(bytes, signal);
    if (head !== undefined && !("unreadable" in head)) return head;
    if (head === undefined && isReadable) throw new Error(`the header of mail ${uid} was not read`);
    const reason = head?.unreadable ?? "it takes too long";
    this.#needs.log.warn({ uid }, `A mail is left out, as its header cannot be read: ${reason}`);
    return undefined;
  }

  async #read(client: ImapFlow, mail: WrittenMail, signal: AbortSignal): Promise<InboundMessage | undefined> {
    try {
      return await this.#needs.intake.read(client, mail, signal);
    } catch (error) {
      // Without a connection or a reader it comes again; else its server cannot tell what stands in
      // it.
      if (!client.usable || signal.aborted || error instanceof NoReader) throw error;
      this.#needs.log.warn({ uid: mail.uid }, `A mail cannot be read: ${(error as Error).message}`);
      return this.#needs.intake.read(client, { ...mail, isReadable: false }, signal);
    }
  }
}
