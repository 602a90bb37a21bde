import type { MailHead } from "./mail-head.ts";
import { isOwnId } from "./message-id.ts";

/** Local parts of addresses behind which no person reads. */
const machines =
  /^(?:mailer-daemon|postmaster|daemon|bounces?|no-?reply|do-?not-?reply|auto-?reply|notifications?)(?:[-+._].*)?$|[-+._](?:no-?reply|bounces?)$/;

/**
 * Returns why a mail must not be answered, whoever it says it is from (RFC 3834, section 2, and the
 * marks of list software and other programs); undefined if a person may be behind it.
 */
export function unanswerable(head: MailHead, ownAddress: string): string | undefined {
  const { from, id } = head;
  const [local = ""] = (from?.address ?? "").split("@");
  const word = (name: string): string => (head.all(name)[0] ?? "").trim().toLowerCase();
  const automatic = head.all("auto-submitted").find((value) => !/^\s*no\b/i.test(value));
  if (!head.isWhole) return "its header is too long to be read";
  if (from === undefined) return "it has not exactly one sender";
  if (from.address === ownAddress) return "it is from the agent's own address";
  if (id !== undefined && isOwnId(id)) return "it is a mail that the agent has sent";
  if (machines.test(local)) return "its sender is a program";
  if (automatic !== undefined) return "it was made automatically (Auto-Submitted)";
  if (head.all("return-path").some((path) => /^\s*<\s*>\s*$/.test(path)))
    return "it has an empty return path";
  if (/^(?:bulk|list|junk|auto_reply)\b/.test(word("precedence"))) return "it is bulk mail (Precedence)";
  if (head.names.some((name) => name.startsWith("list-"))) return "it came by a mailing list";
  if (head.names.some((name) => /^x-auto(?:reply|respond|-reply)/.test(name)))
    return "it was made automatically";
  if (/\b(?:all|autoreply|oof)\b/.test(word("x-auto-response-suppress"))) return "it asks for no answer";
  if (/^multipart\/report\b/.test(word("content-type"))) return "it is a report of a mail server";
  return undefined;
}
