import type { Upstream } from "@gantry/sdk";
import { bridgeTo, type Bridge } from "@gantry/sdk/node";
import type { ImapFlow } from "imapflow";
import type { Socket } from "node:net";
import { MailTrouble, troubleOf } from "./trouble.ts";
import { errors } from "./errors.ts";
import type { Settings } from "./settings.ts";
import { tlsOptions } from "./tls-options.ts";

const connectMs = 30_000;
const greetingMs = 15_000;
/** Four times the size of the pieces in which mails are read. */
const maxPieceBytes = 1024 * 1024;
/** Most bytes of one answer of the server: a list of half a million numbers. */
const maxAnswerBytes = 4 * maxPieceBytes;

export interface ImapNeeds {
  readonly settings: Settings;
  readonly upstream: Upstream;
  readonly version: string;
}

/**
 * Opens a connection that is logged in and has the folder open, closed when `signal` is aborted. It
 * goes out by the network slot, and nothing of the login goes before TLS holds, unless the server
 * is on this machine and said to speak none. Throws MailTrouble.
 */
export async function openImap(needs: ImapNeeds, signal: AbortSignal): Promise<ImapFlow> {
  const { settings, upstream, version } = needs;
  const server = settings.imap;
  const { host, port, security } = server;
  let socket: Socket | undefined;
  let bridge: Bridge | undefined;
  let client: ImapFlow | undefined;
  const close = (): void => {
    client?.close();
    socket?.destroy();
  };
  signal.addEventListener("abort", close, { once: true });
  try {
    const { ImapFlow: Client } = await import("imapflow");
    const tls = await tlsOptions(settings.caFile);
    socket = (await upstream.connect(host, port, signal)) as Socket;
    // The library takes an open connection only if it begins with TLS.
    if (security !== "implicit") bridge = await bridgeTo(socket);
    signal.throwIfAborted();
    client = new Client({
      host,
      port,
      secure: security === "implicit",
      ...(security !== "implicit" && { doSTARTTLS: security === "starttls" }),
      tls: { ...tls, ...(bridge === undefined ? { socket } : { path: bridge.path }) },
      auth: { user: settings.username, pass: settings.password },
      clientInfo: { name: "gantry", version, vendor: false, "support-url": false },
      logger: false,
      disableAutoIdle: true,
      disableCompression: true,
      connectionTimeout: connectMs,
      greetingTimeout: greetingMs,
      maxLiteralSize: maxPieceBytes,
      maxResponseSize: maxAnswerBytes,
    });
    // A failure comes out of the command that it ends; without a listener it would end the process.
    client.on("error", () => {});
    client.on("close", () => signal.removeEventListener("abort", close));
    await client.connect();
    await openFolder(client, settings);
    return client;
  } catch (error) {
    close();
    signal.removeEventListener("abort", close);
    throw troubleOf(error, server, settings);
  } finally {
    await bridge?.close();
  }
}

async function openFolder(client: ImapFlow, settings: Settings): Promise<void> {
  try {
    await client.mailboxOpen(settings.mailbox);
  } catch (error) {
    const { responseStatus, responseText = "" } = error as { responseStatus?: string; responseText?: string };
    if (responseStatus !== "NO") throw error;
    const said = settings.scrub(responseText);
    throw new MailTrouble(
      "server",
      errors.EMAIL_NO_MAILBOX(settings.imap.shown, settings.mailbox, said).message,
    );
  }
}
