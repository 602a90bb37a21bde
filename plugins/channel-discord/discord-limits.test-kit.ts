/**
 * The refusals of the platform, each with its code and words. Sources: "message" is
 * https://docs.discord.com/developers/resources/message#create-message, "components"
 * https://docs.discord.com/developers/components/reference, "codes"
 * https://docs.discord.com/developers/topics/opcodes-and-status-codes#json, "files"
 * https://docs.discord.com/developers/reference#uploading-files, "seen" are answers that issues of
 * its clients quote.
 */
export type Params = Readonly<Record<string, any>>;

export interface Refused {
  readonly status: number;
  readonly code: number;
  readonly message: string;
}

/** codes: 50035. seen: the words, with the field. */
export function invalidForm(field: string): Refused {
  return { status: 400, code: 50_035, message: `Invalid Form Body (${field})` };
}

/** codes. */
export const refusals = {
  unauthorized: { status: 401, code: 0, message: "401: Unauthorized" },
  unknownChannel: { status: 404, code: 10_003, message: "Unknown Channel" },
  unknownMessage: { status: 404, code: 10_008, message: "Unknown Message" },
  unknownGuild: { status: 404, code: 10_004, message: "Unknown Guild" },
  unknownInteraction: { status: 404, code: 10_062, message: "Unknown interaction" },
  unknownWebhook: { status: 404, code: 10_015, message: "Unknown Webhook" },
  acknowledged: { status: 400, code: 40_060, message: "Interaction has already been acknowledged." },
  notFound: { status: 404, code: 0, message: "404: Not Found" },
  tooLarge: { status: 413, code: 40_005, message: "Request entity too large" },
  empty: { status: 400, code: 50_006, message: "Cannot send an empty message" },
  notOurs: { status: 403, code: 50_005, message: "Cannot edit a message authored by another user" },
  agent: { status: 403, code: 40_333, message: "internal network error" },
} as const satisfies Readonly<Record<string, Refused>>;

/** message: "Message contents (up to 2000 characters)". */
const maxContent = 2_000;
/** message: "Can be used to verify a message was sent (up to 25 characters)". */
const maxNonce = 25;
/** files: 10 MiB for a file where nobody pays for more; 10 files. */
export const maxFileBytes = 10 * 1024 * 1024;
const maxFiles = 10;
/**
 * message, "flags": what a bot may set when it sends: no embeds, no notification, voice, new
 * components.
 */
const sendFlags = (1 << 2) | (1 << 12) | (1 << 13) | (1 << 15);
/** components: 5 rows, 5 buttons a row, 80 signs of a label, 1 to 100 of a custom_id. */
const most = { rows: 5, buttons: 5, label: 80, customId: 100 };

export function isSnowflake(id: unknown): boolean {
  return typeof id === "string" && /^\d{17,20}$/.test(id);
}

/** Returns what is wrong with a message that is sent, or undefined if nothing is. */
export function wrongMessage(body: Params, files: readonly Blob[]): Refused | undefined {
  const content = body["content"] ?? "";
  if (typeof content !== "string" || content.length > maxContent) return invalidForm("content: max 2000");
  if (!content.isWellFormed()) return invalidForm("content: no UTF-8");
  const isEmpty = content.trim() === "" && files.length === 0 && !body["sticker_ids"];
  if (isEmpty) return refusals.empty;
  if (files.length > maxFiles) return invalidForm("attachments: max 10");
  if (files.some(({ size }) => size > maxFileBytes)) return refusals.tooLarge;
  return (
    wrongNonce(body) ??
    wrongMentions(body) ??
    wrongComponents(body) ??
    wrongFlags(body) ??
    wrongFiles(body, files)
  );
}

/** message: an integer, or text of up to 25 signs. */
function wrongNonce({ nonce }: Params): Refused | undefined {
  if (nonce === undefined || Number.isSafeInteger(nonce)) return undefined;
  return typeof nonce === "string" && nonce.length <= maxNonce ? undefined : invalidForm("nonce: max 25");
}

/** message, "Allowed mentions object": the three types, and no type beside ids of it. */
function wrongMentions({ allowed_mentions: allowed }: Params): Refused | undefined {
  if (allowed === undefined) return undefined;
  const parse: readonly unknown[] = allowed.parse ?? [];
  const isKnown = parse.every((kind) => ["roles", "users", "everyone"].includes(String(kind)));
  const ids = [...(allowed.users ?? []), ...(allowed.roles ?? [])];
  if (!isKnown || !ids.every(isSnowflake)) return invalidForm("allowed_mentions");
  const isDoubled = ["users", "roles"].some((kind) => parse.includes(kind) && allowed[kind]?.length > 0);
  return isDoubled ? invalidForm("allowed_mentions: mutually exclusive") : undefined;
}

function wrongComponents({ components = [] }: Params): Refused | undefined {
  if (!Array.isArray(components) || components.length > most.rows) return invalidForm("components: max 5");
  const buttons: Params[] = [];
  for (const row of components as readonly Params[]) {
    const inside: readonly Params[] = row["components"] ?? [];
    if (row["type"] !== 1 || inside.length < 1 || inside.length > most.buttons)
      return invalidForm("components: 1-5");
    buttons.push(...inside);
  }
  for (const { type, style, label, custom_id: id } of buttons) {
    if (type !== 2 || ![1, 2, 3, 4].includes(style)) return invalidForm("components.style");
    if (typeof label !== "string" || label === "" || label.length > most.label)
      return invalidForm("components.label: max 80");
    if (typeof id !== "string" || id === "" || id.length > most.customId)
      return invalidForm("components.custom_id: 1-100");
  }
  const ids = buttons.map((button) => button["custom_id"]);
  return new Set(ids).size === ids.length ? undefined : invalidForm("components: duplicated custom_id");
}

function wrongFlags({ flags = 0 }: Params): Refused | undefined {
  return Number.isInteger(flags) && (flags & ~sendFlags) === 0 ? undefined : invalidForm("flags");
}

/** files: each attachment names by its id a part of the form. */
function wrongFiles({ attachments = [] }: Params, files: readonly Blob[]): Refused | undefined {
  const ids = (attachments as readonly Params[]).map((one) => Number(one["id"]));
  return ids.every((id) => id >= 0 && id < files.length) ? undefined : invalidForm("attachments.id");
}

/**
 * message, "allowed_mentions": without it everything that names somebody pings; with it, what it
 * lets.
 */
export function pingsOf({ content = "", allowed_mentions: allowed }: Params): readonly string[] {
  const parse: readonly string[] = allowed?.parse ?? (allowed ? [] : ["users", "roles", "everyone"]);
  const found: readonly [string, RegExp][] = [
    ["everyone", /@(?:everyone|here)\b/g],
    ["users", /<@!?\d+>/g],
    ["roles", /<@&\d+>/g],
  ];
  return found.flatMap(([kind, form]) => (parse.includes(kind) ? (String(content).match(form) ?? []) : []));
}
