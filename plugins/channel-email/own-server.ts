import { createHmac } from "node:crypto";
import type { CheckRow } from "@gantry/sdk";
import type { ImapFlow } from "imapflow";
import { topmostServer } from "./authenticity.ts";
import type { MailReader } from "./mail-reader.ts";

const what = "email server name";
/** A name as servers give themselves; no other is proposed to anybody. */
export const serverNameForm: RegExp = /^[a-z0-9][a-z0-9._-]{0,252}$/i;

/**
 * Returns the subject of the mail that shows which server vouches for senders. Nobody can guess it
 * without the password: any other mail may have brought its Authentication-Results along.
 */
export function testSubject(password: string): string {
  return `gantry-${createHmac("sha256", password).update("authserv_id").digest("hex").slice(0, 12)}`;
}

/** Returns the row that names the server, or says how to learn the name. */
export async function serverNameRow(
  client: ImapFlow,
  reader: MailReader,
  subject: string,
  signal: AbortSignal,
): Promise<CheckRow> {
  const name = await nameInTestMail(client, reader, subject, signal).catch(() => undefined);
  if (name === undefined) {
    const cure = `send the agent a mail with the subject ${subject}, then look again`;
    return { what, state: "warn", detail: "not known: no test mail names it", cure };
  }
  const cure = `add channels.email.authserv_id = ${JSON.stringify(name)}`;
  return { what, state: "ok", detail: `${name} signs the results in the test mail`, cure };
}

/** Returns the name that {@link serverNameRow} told of; undefined if it told of none. */
export function nameIn(rows: readonly CheckRow[]): string | undefined {
  return rows.find((row) => row.what === what && row.state === "ok")?.detail.split(" ")[0];
}

async function nameInTestMail(
  client: ImapFlow,
  reader: MailReader,
  subject: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = await client.search({ subject });
  const newest = found ? found.at(-1) : undefined;
  if (newest === undefined) return undefined;
  const mail = await client.fetchOne(String(newest), { headers: ["authentication-results"] });
  const head = mail && mail.headers && (await reader.head(mail.headers, signal));
  const name = head && !("unreadable" in head) ? topmostServer(head) : undefined;
  return name !== undefined && serverNameForm.test(name) ? name : undefined;
}
