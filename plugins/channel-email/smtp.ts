import type { Upstream } from "@gantry/sdk";
import type { Duplex } from "node:stream";
import type { Socket } from "node:net";
import type { MailServer, Settings } from "./settings.ts";
import { tlsOptions } from "./tls-options.ts";
import { troubleOf } from "./trouble.ts";

const connectMs = 20_000;
/**
 * Between two answers; a server may look at a mail for long before it takes it (RFC 5321, 4.5.3.2).
 */
const answerMs = 120_000;

export interface OutgoingMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same with its forms; undefined: plain text alone. */
  readonly html: string | undefined;
  readonly id: string;
  readonly inReplyTo: string | undefined;
  readonly references: readonly string[];
  readonly files: readonly { readonly name: string; readonly mime: string; readonly bytes: Uint8Array }[];
}

/** Hands mails to the server that sends them, each by a connection of its own. */
export class Smtp {
  readonly #settings: Settings;
  readonly #upstream: Upstream;

  constructor(settings: Settings, upstream: Upstream) {
    this.#settings = settings;
    this.#upstream = upstream;
  }

  /** Resolves once the server has taken it. Throws MailTrouble. */
  async send(mail: OutgoingMail, signal: AbortSignal): Promise<void> {
    const { to, subject, text, html, id, inReplyTo, references, files } = mail;
    await this.#with(signal, (transport) =>
      transport.sendMail({
        from: this.#settings.address,
        to,
        subject,
        text,
        ...(html !== undefined && { html }),
        messageId: id,
        ...(inReplyTo !== undefined && { inReplyTo }),
        references: [...references],
        headers: { "Auto-Submitted": "auto-replied", "X-Auto-Response-Suppress": "All" },
        attachments: files.map(({ name, mime, bytes }) => ({
          filename: name,
          contentType: mime,
          content: Buffer.from(bytes),
        })),
      }),
    );
  }

  /** Logs in and sends nothing. Throws MailTrouble. */
  async verify(signal: AbortSignal): Promise<void> {
    await this.#with(signal, (transport) => transport.verify());
  }

  async #with(
    signal: AbortSignal,
    work: (transport: Awaited<ReturnType<Smtp["transport"]>>) => Promise<unknown>,
  ): Promise<void> {
    const server = this.#settings.smtp;
    const over = new AbortController();
    const sockets: Duplex[] = [];
    const end = (): void => sockets.forEach((socket) => socket.destroy());
    signal.addEventListener("abort", end, { once: true });
    try {
      signal.throwIfAborted();
      await work(await this.transport(server, sockets, AbortSignal.any([signal, over.signal])));
    } catch (error) {
      throw troubleOf(error, server, this.#settings);
    } finally {
      signal.removeEventListener("abort", end);
      over.abort();
      end();
    }
  }

  /**
   * One that opens its connection by the network slot, and reads no file and no address for what a
   * mail holds.
   */
  private async transport(server: MailServer, sockets: Duplex[], signal: AbortSignal) {
    const { default: nodemailer } = await import("nodemailer");
    const { host, port, security } = server;
    const { username, password, caFile } = this.#settings;
    const tls = await tlsOptions(caFile);
    return nodemailer.createTransport({
      host,
      port,
      secure: security === "implicit",
      requireTLS: security === "starttls",
      ignoreTLS: security === "none",
      auth: { user: username, pass: password },
      tls,
      connectionTimeout: connectMs,
      greetingTimeout: connectMs,
      socketTimeout: answerMs,
      disableFileAccess: true,
      disableUrlAccess: true,
      getSocket: (_options, callback) => {
        this.#upstream.connect(host, port, signal).then(
          (socket) => {
            sockets.push(socket);
            callback(null, { connection: socket as Socket });
          },
          (error: Error) => callback(error),
        );
      },
    });
  }
}
