import { Checks, textOf, type ChatRequest, type CheckRow, type Plugin } from "@gantry/sdk";
import {
  fakeProvider,
  memoryStore,
  startTestHost,
  type TestHost,
  type TestHostOptions,
} from "@gantry/sdk/testing";
import { vi } from "vitest";
import net from "../net-undici/index.ts";
import email from "./index.ts";
import { MailServer, type MailServerOptions } from "./mail-server.test-kit.ts";
import { MailSink, password } from "./mail-sink.test-kit.ts";

export const own = "agent@example.com";
export const owner = "ada@example.com";
export const member = "bob@example.com";
export const stranger = "eve@example.net";

export interface EmailOptions extends Omit<Partial<TestHostOptions>, "plugins"> {
  readonly server?: MailServer;
  readonly sink?: MailSink;
  readonly mail?: MailServerOptions;
  readonly table?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly plugins?: readonly Plugin[];
  /** True: `env` holds until the end. */
  readonly keepsEnv?: boolean;
  /** False: nothing is read. */
  readonly serves?: boolean;
}

export interface TestEmail extends AsyncDisposable {
  readonly host: TestHost;
  readonly server: MailServer;
  readonly sink: MailSink;
  /** A mail from the owner, unless told otherwise. */
  write(mail: Partial<Written>): Written;
  check(name: string): Promise<readonly CheckRow[]>;
}

/** The keys of a channel that reads from this server and sends to this sink, both on this machine. */
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

/** The channel on real servers, over the real network. */
export async function startEmail(options: EmailOptions = {}): Promise<TestEmail> {
  const {
    table,
    env = {},
    plugins = [memoryStore(), fakeProvider(["hello there"])],
    serves = true,
  } = options;
  const sink = options.sink ?? (await MailSink.start());
  const server = options.server ?? (await MailServer.start(options.mail));
  for (const [name, value] of Object.entries({ SERVICE_ALLOW_INSECURE_LOOPBACK: "1", ...env }))
    vi.stubEnv(name, value);
  const host = await startTestHost({
    ...options,
    plugins: [...plugins, net, email],
    config: { channels: { email: { ...tableOf(server, sink), ...table } }, ...options.config },
  }).finally(() => {
    if (options.keepsEnv !== true) vi.unstubAllEnvs();
  });
  if (serves) await host.serve();
  return {
    host,
    server,
    sink,
    write: (mail) => writeTo(server, mail),
    check: (name) => host.slot(Checks).get(name)!.run(AbortSignal.timeout(60_000)),
    async [Symbol.asyncDispose]() {
      await host.stop();
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

/** A model that repeats what it was told last. */
export function lastSaid({ messages }: ChatRequest): string {
  return textOf(messages.at(-1)?.parts ?? []);
}
