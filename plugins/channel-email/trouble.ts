import { GantryError } from "@gantry/sdk";
import { errors } from "./errors.ts";
import type { MailServer, Settings } from "./settings.ts";

/** The consequence of a failure for the next steps. `mail` alone is about one mail. */
export type TroubleKind = "login" | "server" | "busy" | "away" | "mail" | "later";

/** A failure of one of the two servers, as a sentence with its cure and without a secret. */
export class MailTrouble extends Error {
  readonly kind: TroubleKind;
  /** The SMTP server's answer, as in 550 and 5.7.1. */
  readonly reply: { readonly code: number; readonly enhanced: string } | undefined;

  constructor(kind: TroubleKind, message: string, reply?: MailTrouble["reply"]) {
    super(message);
    this.kind = kind;
    this.reply = reply;
  }
}

/** Members that the two libraries put on their errors. */
interface LibraryError extends Error {
  readonly code?: string;
  readonly authenticationFailed?: boolean;
  readonly responseText?: string;
  readonly serverResponseCode?: string;
  readonly tlsFailed?: boolean;
  /** From SMTP. */
  readonly responseCode?: number;
  readonly response?: string;
  readonly command?: string;
}

const certificate =
  /^(?:CERT_|DEPTH_ZERO_SELF|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|ERR_TLS_CERT|HOSTNAME_MISMATCH)/;
const noTls =
  /wrong version number|packet length too long|ERR_SSL_(?:WRONG_VERSION|PACKET_LENGTH|UNSUPPORTED)/i;

const noGreeting = /^(?:invalid greeting|greeting never received)/i;

/** Returns the trouble of whatever was thrown while talking to `server`. */
export function troubleOf(error: unknown, server: MailServer, settings: Settings): MailTrouble {
  if (error instanceof MailTrouble) return error;
  if (error instanceof GantryError && error.code.startsWith("NET_"))
    return new MailTrouble("away", errors.EMAIL_AWAY(error.message.replace(/\.$/, "")).message);
  if (error instanceof GantryError) return new MailTrouble("server", error.message);
  const known = error as LibraryError;
  const code = known.code ?? "";
  const said = settings.scrub(known.responseText ?? known.response ?? known.message ?? String(error));
  const { shown } = server;
  if (certificate.test(code) || /\bcertificate\b/i.test(known.message))
    return new MailTrouble("server", errors.EMAIL_CERTIFICATE(shown, said).message);
  if (noTls.test(`${code} ${known.message}`))
    return new MailTrouble("server", errors.EMAIL_NO_TLS(shown).message);
  if (code === "GREETING_TIMEOUT" || noGreeting.test(known.message))
    return new MailTrouble("away", errors.EMAIL_NO_GREETING(shown, said).message);
  if (isBusy(known, said)) return new MailTrouble("busy", errors.EMAIL_BUSY(shown, said).message);
  if (isLogin(known))
    return new MailTrouble("login", errors.EMAIL_LOGIN(shown, settings.username, said).message);
  if (lacksStartTls(known, said)) return new MailTrouble("server", errors.EMAIL_NO_STARTTLS(shown).message);
  return known.command === undefined && known.responseCode === undefined
    ? new MailTrouble("away", errors.EMAIL_IMAP(shown, code === "" ? said : `${said}, ${code}`).message)
    : smtpTrouble(known, shown, said);
}

function isLogin({
  authenticationFailed,
  serverResponseCode = "",
  code,
  responseCode = 535,
}: LibraryError): boolean {
  if (authenticationFailed) return !/^(?:UNAVAILABLE|INUSE|LIMIT|SERVERBUG)$/.test(serverResponseCode);
  return code === "EAUTH" && responseCode >= 500;
}

function isBusy({ serverResponseCode = "", responseCode }: LibraryError, said: string): boolean {
  const isFull = /too many (?:simultaneous |concurrent )?connections|maximum number of connections/i.test(
    said,
  );
  return isFull || /^(?:UNAVAILABLE|INUSE|LIMIT)$/.test(serverResponseCode) || responseCode === 454;
}

function lacksStartTls({ code, command, tlsFailed }: LibraryError, said: string): boolean {
  return (
    command === "STARTTLS" || ((tlsFailed === true || code === "ETLS") && /starttls|upgrade/i.test(said))
  );
}

function smtpTrouble(
  { responseCode = 0, command = "" }: LibraryError,
  shown: string,
  said: string,
): MailTrouble {
  const [, enhanced = ""] = /\b([245]\.\d{1,3}\.\d{1,3})\b/.exec(said) ?? [];
  const reply = { code: responseCode, enhanced };
  const isOfMail = /^(?:MAIL FROM|RCPT TO|DATA|MAIL|RCPT)/.test(command);
  if (responseCode >= 500 && isOfMail)
    return new MailTrouble("mail", errors.EMAIL_REFUSED(shown, said).message, reply);
  const kind = responseCode >= 400 && responseCode !== 421 && isOfMail ? "later" : "away";
  return new MailTrouble(kind, errors.EMAIL_SMTP(shown, said).message, reply);
}
