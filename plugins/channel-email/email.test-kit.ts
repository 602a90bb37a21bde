import { textOf, type ChatRequest } from "@gantry/sdk";
import { vi } from "vitest";
import { startChannel, type ChannelOptions, type StartedChannel } from "../../test/helpers/channel.ts";
import { stopSoon } from "../../test/helpers/waiting.ts";
import email from "./index.ts";
import { MailServer, type MailServerOptions } from "./mail-server.test-kit.ts";
import { MailSink, password } from "./mail-sink.test-kit.ts";

export const own = "agent@example.com";
export const owner = "ada@example.com";
export const member = "bob@example.com";
export const stranger = "eve@example.net";

/** Keys with which a mail counts that {@link vouchedFor} its domain. */
export const proven = { authserv_id: "mx.example.com" };

/** Returns the header line by which the mail server vouches for whoever writes from this domain. */
export function vouchedFor(domain: string = "example.com"): string {
  return `Authentication-Results: ${proven.authserv_id}; dmarc=pass header.from=${domain}`;
}

export interface EmailOptions extends ChannelOptions {
  readonly server?: MailServer;
  readonly sink?: MailSink;
  readonly mail?: MailServerOptions;
}

export interface TestEmail extends StartedChannel, AsyncDisposable {
  readonly server: MailServer;
  readonly sink: MailSink;
  /** Makes a mail from the owner, unless told otherwise. */
  write(mail: Partial<Written>): Written;
}

/**
 * Returns the keys of a channel that reads from this server and sends to this sink, both on this
 * machine.
 */
export function tableOf(server: MailServer, sink: MailSink): Readonly<Record<string, unknown>> {
  return {
    address: own,
    password,
    imap_host: "127.0.0.1",
    imap_port: server.ports.imap,
    smtp_host: "127.0.0.1",
    smtp_port: sink.port,
    allowed_senders: [owner, member],
    owners: [owner],
  };
}

/** Starts the channel on real servers, over the real network. */
export async function startEmail(options: EmailOptions = {}): Promise<TestEmail> {
  const sink = options.sink ?? (await MailSink.start());
  const server = options.server ?? (await MailServer.start(options.mail));
  const config = { channels: { email: { ...tableOf(server, sink), ...options.table } } };
  const started = await startChannel(email, config, options);
  return {
    ...started,
    server,
    sink,
    write: (mail) => writeTo(server, mail),
    async [Symbol.asyncDispose]() {
      await stopSoon(started.host);
      vi.unstubAllEnvs();
      if (options.server === undefined) await server[Symbol.asyncDispose]();
      if (options.sink === undefined) await sink[Symbol.asyncDispose]();
    },
  };
}

/** A mail as a person's program writes it. */
export interface Written {
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly id: string;
  /** Header lines besides. */
  readonly headers: readonly string[];
  /** In place of the text: everything from the first header about content on. */
  readonly body?: string;
  /** When the server got it. */
  readonly at?: Date;
}

let counter = 0;

export function mailOf({ from, subject, text, id, headers, body }: Written): string {
  const head = [
    `From: ${from}`,
    `To: ${own}`,
    ...(subject === "" ? [] : [`Subject: ${subject}`]),
    ...(id === "" ? [] : [`Message-ID: ${id}`]),
    "Date: Thu, 01 Jan 2026 10:00:00 +0000",
    ...headers,
  ];
  const plain = `MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${text}`;
  return `${head.join("\r\n")}\r\n${body ?? plain}\r\n`;
}

export function writeTo(server: MailServer, given: Partial<Written>): Written {
  counter += 1;
  const id = `<mail-${process.pid}-${counter}@mail.example>`;
  const mail: Written = { from: owner, subject: "", text: "hello", id, headers: [], ...given };
  server.deliver(own, mailOf(mail), mail.at === undefined ? {} : { at: mail.at });
  return mail;
}

/** Answers as a model that repeats what it was told last. */
export function lastSaid({ messages }: ChatRequest): string {
  return textOf(messages.at(-1)?.parts ?? []);
}
