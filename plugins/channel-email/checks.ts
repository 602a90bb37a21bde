import type { Check, CheckRow } from "@gantry/sdk";
import { channelChecks, peopleRow, rowsOf, type ChannelHealth } from "@gantry/sdk/channel";
import type { ImapFlow } from "imapflow";
import { openImap, type ImapNeeds } from "./imap.ts";
import type { Logins } from "./logins.ts";
import type { MailReader } from "./mail-reader.ts";
import { serverNameRows } from "./own-server.ts";
import type { SendingRecord } from "./sending-record.ts";
import { allowlistKey, type MailServer, type Settings } from "./settings.ts";
import type { Smtp } from "./smtp.ts";
import { takesMarks, type TwoPrograms } from "./two-programs.ts";
import { troubleOf } from "./trouble.ts";

/** From here on a mailbox will soon take no more. */
const fullPercent = 95;
const security = { implicit: "TLS", starttls: "STARTTLS", none: "in the open, on this machine" } as const;

/** Returns the consequences while nothing proves a sender; undefined if the mail server does. */
export function forgeableSenders({
  authservId,
  people,
}: Settings): { readonly detail: string; readonly cure: string } | undefined {
  if (authservId !== undefined) return undefined;
  const owners = people.owners.length > 0 ? ", not even those in channels.email.owners" : "";
  return {
    detail:
      "the sender of a mail can be forged, so whoever knows an allowed address can write in its " +
      `name, and nobody is an owner here${owners}`,
    cure:
      'add channels.email.authserv_id = "mx.example.com", ' +
      "with the name that the Authentication-Results of your own mail server begin with",
  };
}

export interface CheckNeeds extends ImapNeeds {
  readonly smtp: Smtp;
  readonly logins: { readonly imap: Logins; readonly smtp: Logins };
  readonly health: ChannelHealth;
  readonly record: SendingRecord;
  readonly twoPrograms: TwoPrograms;
  readonly reader: MailReader;
}

export function emailChecks(needs: CheckNeeds): readonly Check[] {
  const { settings, health, record, twoPrograms } = needs;
  const standing = async (): Promise<readonly CheckRow[]> => [
    account(settings),
    peopleRow("email", allowlistKey, settings.people, settings.pairing),
    senders(settings),
    await record.row(),
    ...(await twoPrograms.rows()),
  ];
  return channelChecks("email", {
    standing,
    platform: async (signal) => [
      ...(await reading(needs, signal)),
      ...(await sending(needs, signal)),
      senders(settings),
      await record.row(),
      ...(await twoPrograms.rows()),
    ],
    health,
  });
}

function way({ shown, security: how }: MailServer): string {
  return `${shown} (${security[how]})`;
}

function account({ address, imap, smtp, mailbox }: Settings): CheckRow {
  const detail = `${address}: ${mailbox} of ${way(imap)}, sent by ${way(smtp)}`;
  return { what: "email account", state: "ok", detail };
}

function senders(settings: Settings): CheckRow {
  const what = "email senders";
  const forgeable = forgeableSenders(settings);
  if (forgeable) return { what, state: "warn", ...forgeable };
  return { what, state: "ok", detail: `only mail that ${settings.authservId} says dmarc=pass of` };
}

async function reading(needs: CheckNeeds, signal: AbortSignal): Promise<readonly CheckRow[]> {
  const { settings, logins } = needs;
  const what = "email reading";
  let client: ImapFlow | undefined;
  try {
    client = await openImap(needs, signal);
    await logins.imap.worked();
    const idles = client.capabilities.has("IDLE");
    const how =
      settings.idle && idles ? "tells of new mail at once" : `is asked every ${settings.pollMs / 1_000} s`;
    const missing = settings.idle && !idles ? ", as it knows no IDLE" : "";
    const alone = takesMarks(client)
      ? ""
      : "; a second program on this mailbox goes unnoticed, as it keeps no marks";
    const detail = `${settings.imap.shown} lets ${settings.username} in and ${how}${missing}${alone}`;
    const names = settings.authservId === undefined ? await serverNameRows(client, needs.reader, signal) : [];
    return [{ what, state: "ok", detail }, ...names, ...(await quota(client))];
  } catch (error) {
    return [{ what, state: "fail", detail: troubleOf(error, settings.imap, settings).message }];
  } finally {
    client?.close();
  }
}

/** Checks the room in the mailbox: a full one sends back what people write to it. */
async function quota(client: ImapFlow): Promise<readonly CheckRow[]> {
  const known = await client.getQuota().catch(() => false as const);
  const { usage = 0, limit = 0 } = (known ? known.storage : undefined) ?? {};
  if (limit === 0) return [];
  const percent = Math.floor((usage / limit) * 100);
  const what = "email quota";
  const detail = `${percent} % of the mailbox is used`;
  if (percent < fullPercent) return [{ what, state: "ok", detail }];
  return [
    { what, state: "fail", detail, cure: "delete old mail, or what people write is sent back to them" },
  ];
}

function sending({ settings, smtp, logins }: CheckNeeds, signal: AbortSignal): Promise<readonly CheckRow[]> {
  return rowsOf("email sending by SMTP", async () => {
    await smtp.verify(signal);
    await logins.smtp.worked();
    return `${settings.smtp.shown} lets ${settings.username} in`;
  });
}
