import type { CheckRow } from "@gantry/sdk";
import type { ImapFlow } from "imapflow";
import { topmostServer } from "./authenticity.ts";
import type { MailReader } from "./mail-reader.ts";

/** So many of the newest mails have to agree, as one alone may have brought its header along. */
const lookedAt = 5;
const what = "email server name";
/** A name as servers give themselves; no other is proposed to anybody. */
export const serverNameForm: RegExp = /^[a-z0-9][a-z0-9._-]{0,252}$/i;

/** Gives the row of doctor about who wrote the topmost Authentication-Results, if mails agree. */
export async function serverNameRows(
  client: ImapFlow,
  reader: MailReader,
  signal: AbortSignal,
): Promise<readonly CheckRow[]> {
  const name = await newestName(client, reader, signal).catch(() => undefined);
  if (name === undefined) return [];
  const line = `channels.email.authserv_id = ${JSON.stringify(name)}`;
  const cure = `if it is your own mail server, add ${line}`;
  return [{ what, state: "ok", detail: `${name} signs the results in the newest mails`, cure }];
}

/** Returns the name that {@link serverNameRows} told of. */
export function nameIn(rows: readonly CheckRow[]): string | undefined {
  return rows.find((row) => row.what === what)?.detail.split(" ")[0];
}

async function newestName(
  client: ImapFlow,
  reader: MailReader,
  signal: AbortSignal,
): Promise<string | undefined> {
  const exists = client.mailbox ? client.mailbox.exists : 0;
  if (exists === 0) return undefined;
  const names = new Set<string | undefined>();
  const newest = client.fetch(`${Math.max(1, exists - lookedAt + 1)}:*`, {
    headers: ["authentication-results"],
  });
  for await (const { headers } of newest) {
    const head = headers && (await reader.head(headers, signal));
    names.add(head === undefined || "unreadable" in head ? undefined : topmostServer(head));
  }
  const [name] = names;
  return names.size === 1 && name !== undefined && serverNameForm.test(name) ? name : undefined;
}
