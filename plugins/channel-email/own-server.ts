import { randomBytes } from "node:crypto";
import type { CheckRow } from "@gantry/sdk";
import type { ImapFlow } from "imapflow";
import { topmostServer } from "./authenticity.ts";
import type { MailReader } from "./mail-reader.ts";

const what = "email server name";
/** Mails that the server finds are looked at, newest first. */
const MOST = 20;
/** A name as servers give themselves; no other is proposed to anybody. */
export const serverNameForm: RegExp = /^[a-z0-9][a-z0-9._-]{0,252}$/i;

let subject: string | undefined;

/**
 * Returns the subject of the mail that shows which server vouches for senders, another in each
 * process. Nobody can guess it: any other mail may have brought its Authentication-Results along.
 */
export function testSubject(): string {
  return (subject ??= `gantry-${randomBytes(8).toString("hex")}`);
}

/** Returns the row that names the server; none while nobody was told to send the mail. */
export async function serverNameRows(
  client: ImapFlow,
  reader: MailReader,
  signal: AbortSignal,
): Promise<readonly CheckRow[]> {
  if (subject === undefined) return [];
  const name = await nameInMail(client, reader, subject, signal).catch(() => undefined);
  if (name === undefined) return [];
  return [{ what, state: "ok", detail: `${name} signs the results in the test mail` }];
}

/** Returns the name that {@link serverNameRows} told of; undefined if it told of none. */
export function nameIn(rows: readonly CheckRow[]): string | undefined {
  return rows.find((row) => row.what === what)?.detail.split(" ")[0];
}

/** Servers find words within subjects: only a mail with just this one is the test mail. */
async function nameInMail(
  client: ImapFlow,
  reader: MailReader,
  wanted: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = (await client.search({ subject: wanted })) || [];
  for (const number of found.slice(-MOST).toReversed()) {
    const asked = { headers: ["authentication-results", "subject"] };
    const mail = await client.fetchOne(String(number), asked);
    const head = mail && mail.headers && (await reader.head(mail.headers, signal));
    if (!head || "unreadable" in head || head.subject !== wanted) continue;
    const name = topmostServer(head);
    return name !== undefined && serverNameForm.test(name) ? name : undefined;
  }
  return undefined;
}
