import { readSecrets, scrubber, type AllowedPeople } from "@gantry/sdk/channel";
import type { EmailConfig } from "./config.ts";
import { errors } from "./errors.ts";
import { readAddress, readEntry } from "./mail-address.ts";

export const allowlistKey = "channels.email.allowed_senders";

export type Security = "implicit" | "starttls" | "none";

/** One of the two servers. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  readonly security: Security;
  /** `mail.example.com:993` */
  readonly shown: string;
}

export interface Settings {
  readonly address: string;
  readonly username: string;
  readonly password: string;
  readonly mailbox: string;
  readonly idle: boolean;
  readonly pollMs: number;
  readonly people: AllowedPeople;
  readonly pairing: boolean;
  readonly authservId: string | undefined;
  readonly answersPerHour: number;
  readonly caFile: string | undefined;
  /** One line of what a server said, without the password. */
  readonly scrub: (text: string) => string;
  readonly imap: MailServer;
  readonly smtp: MailServer;
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i;
const usual: Readonly<Record<number, Security>> = {
  993: "implicit",
  465: "implicit",
  143: "starttls",
  587: "starttls",
  25: "starttls",
};

/** Throws CHANNEL_MISSING, CHANNEL_BLANK, EMAIL_BAD_ADDRESS and EMAIL_INSECURE. */
export function settingsFrom(
  { channels: { email: table } }: EmailConfig,
  env: NodeJS.ProcessEnv,
  named?: AllowedPeople["named"],
): Settings {
  const { address, username, password, imap_host, smtp_host } = table;
  const values = { address, username, password, imap_host, smtp_host };
  const found = readSecrets<keyof typeof values>({
    channel: "email",
    table: "channels.email",
    values,
    required: ["address", "password", "imap_host", "smtp_host"],
    env,
  });
  const own = readAddress(found.address as string);
  if (own === undefined) throw errors.EMAIL_BAD_ADDRESS(found.address as string);
  const isLoopbackAllowed = env["SERVICE_ALLOW_INSECURE_LOOPBACK"] === "1";
  const server = (
    kind: "imap" | "smtp",
    host: string,
    port: number,
    wanted: Security | undefined,
  ): MailServer => {
    const isLocal = loopback.test(host);
    const unset = isLocal && isLoopbackAllowed ? "none" : "implicit";
    const security = wanted ?? usual[port] ?? unset;
    if (security === "none" && !(isLocal && isLoopbackAllowed)) throw errors.EMAIL_INSECURE(`${kind}_tls`);
    return { host, port, security, shown: `${host}:${port}` };
  };
  const secret = found.password as string;
  const authservId = table.authserv_id?.trim().toLowerCase();
  return {
    address: own,
    username: found.username ?? own,
    password: secret,
    mailbox: table.mailbox,
    idle: table.imap_idle,
    pollMs: table.poll_seconds * 1_000,
    people: {
      allowed: table.allowed_senders.map(readEntry),
      owners: table.owners.map(readEntry),
      named,
      sendersProven: authservId !== undefined,
    },
    pairing: table.pairing_enabled,
    authservId,
    answersPerHour: table.answers_per_hour,
    caFile: table.tls_ca_file,
    scrub: scrubber([secret, Buffer.from(secret).toString("base64")]),
    imap: server("imap", found.imap_host as string, table.imap_port, table.imap_tls),
    smtp: server("smtp", found.smtp_host as string, table.smtp_port, table.smtp_tls),
  };
}
