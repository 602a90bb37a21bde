/**
 * The refusals of the Bot API, each with its words. Sources: "core" is
 * https://core.telegram.org/bots/api, "faq" is https://core.telegram.org/bots/faq, "seen" are
 * answers of the real API that issues of its clients quote.
 */
export type Params = Readonly<Record<string, any>>;

/** Returns the description of the refusal, or undefined if the call is right. */
export type Check = (params: Params) => string | undefined;

/** core, MessageEntity.type. */
const entityTypes = new Set([
  "mention",
  "hashtag",
  "cashtag",
  "bot_command",
  "url",
  "email",
  "phone_number",
  "bold",
  "italic",
  "underline",
  "strikethrough",
  "spoiler",
  "blockquote",
  "expandable_blockquote",
  "code",
  "pre",
  "text_link",
  "text_mention",
]);
/**
 * core, "Message entities can be nested": these take no other into them, and quotes do not nest.
 */
const alone = new Set(["code", "pre"]);

export const checks: Readonly<Record<string, readonly Check[]>> = {
  sendMessage: [chat, text, entities, replyMarkup, replyParameters, noParseMode],
  editMessageText: [chat, messageId, text, entities, replyMarkup],
  editMessageReplyMarkup: [chat, messageId, replyMarkup],
  sendChatAction: [chat, action],
  sendPhoto: [chat, caption],
  sendDocument: [chat, caption],
  sendVoice: [chat, caption, voice],
  sendMediaGroup: [chat, album],
  answerCallbackQuery: [notice],
  getFile: [
    ({ file_id }) => (typeof file_id === "string" ? undefined : "Bad Request: file_id not specified"),
  ],
  getUpdates: [updates],
};

function chat({ chat_id }: Params): string | undefined {
  return Number.isSafeInteger(Number(chat_id)) ? undefined : "Bad Request: chat_id is empty";
}

/**
 * core, sendMessage.text: "1-4096 characters after entities parsing"; seen: white space alone is
 * empty, units are UTF-16.
 */
function text({ text: said }: Params): string | undefined {
  if (typeof said !== "string" || said.trim() === "") return "Bad Request: message text is empty";
  if (!said.isWellFormed()) return "Bad Request: strings must be encoded in UTF-8";
  return said.length > 4_096 ? "Bad Request: message is too long" : undefined;
}

/**
 * core, "Limits": 100 entities a message; what is beyond is ignored there and refused here, so that
 * it is seen.
 */
function entities({ text: said, entities: list }: Params): string | undefined {
  if (list === undefined) return undefined;
  if (!Array.isArray(list)) return "Bad Request: can't parse entities: expected an Array";
  if (list.length > 100) return "Bad Request: too many entities (more than 100)";
  for (const entity of list) {
    const wrong = wrongEntity(entity, said, list);
    if (wrong) return `Bad Request: can't parse entities: ${wrong}`;
  }
  return undefined;
}

function wrongEntity(entity: Params, said: string, list: readonly Params[]): string | undefined {
  const { type, offset, length, url } = entity;
  if (!entityTypes.has(type)) return `unknown type ${String(type)}`;
  if (!(offset >= 0 && length > 0 && offset + length <= said.length)) return "an entity outside of the text";
  if (!said.slice(offset, offset + length).isWellFormed()) return "an entity that cuts a character";
  if (type === "text_link" && !URL.canParse(url)) return "a link without an address";
  const others = list.filter((other) => other !== entity);
  const end = offset + length;
  const crosses = others.some(({ offset: at, length: size }) => at > offset && at < end && at + size > end);
  if (crosses) return "entities that overlap without nesting";
  const inside = others.some(
    (other) => other["offset"] >= offset && other["offset"] + other["length"] <= end,
  );
  return alone.has(type) && inside ? `entities within ${type}` : undefined;
}

/** core, sendVoice.voice: "must be in an .OGG file encoded with OPUS". */
function voice({ voice: file }: Params): string | undefined {
  const isOgg = file instanceof File && file.type === "audio/ogg" && file.size > 0;
  return isOgg ? undefined : "Bad Request: wrong file type";
}

/** core, InlineKeyboardButton.callback_data: "1-64 bytes". */
function replyMarkup({ reply_markup: markup }: Params): string | undefined {
  if (markup === undefined) return undefined;
  const rows = markup.inline_keyboard;
  if (!Array.isArray(rows) || !rows.every(Array.isArray))
    return "Bad Request: object expected as reply markup";
  for (const { text: label, callback_data: data = "" } of rows.flat()) {
    if (typeof label !== "string" || label === "")
      return "Bad Request: text buttons are unallowed in the inline keyboard";
    const bytes = Buffer.byteLength(data);
    if (bytes < 1 || bytes > 64) return "Bad Request: BUTTON_DATA_INVALID";
  }
  return undefined;
}

function replyParameters({ reply_parameters: reply }: Params): string | undefined {
  if (reply === undefined) return undefined;
  return Number.isSafeInteger(reply.message_id) ? undefined : "Bad Request: MESSAGE_ID_INVALID";
}

/** Not the platform's: this channel never leaves its text to be parsed. */
function noParseMode({ parse_mode }: Params): string | undefined {
  return parse_mode === undefined ? undefined : "Bad Request: unsupported parse_mode";
}

function messageId({ message_id }: Params): string | undefined {
  return Number.isSafeInteger(message_id) ? undefined : "Bad Request: message identifier is not specified";
}

function action(params: Params): string | undefined {
  return params["action"] === "typing" ? undefined : "Bad Request: wrong parameter action in request";
}

/** core, sendPhoto.caption: "0-1024 characters after entities parsing". */
function caption({ caption: said = "" }: Params): string | undefined {
  return said.length > 1_024 ? "Bad Request: message caption is too long" : undefined;
}

/** The items of an album; empty for what is none. */
export function albumOf({ media }: Params): readonly Params[] {
  const items: unknown = typeof media === "string" ? JSON.parse(media) : media;
  return Array.isArray(items) ? (items as readonly Params[]) : [];
}

/**
 * core, sendMediaGroup: "must include 2-10 items"; documents "can be only grouped" with documents.
 */
function album(params: Params): string | undefined {
  const items = albumOf(params);
  if (items.length < 2 || items.length > 10) return "Bad Request: wrong number of items in the album";
  const kinds = new Set(items.map(({ type }) => type));
  if (kinds.size > 1) return "Bad Request: documents can be only grouped with documents";
  const missing = items.some(({ media }) => !(String(media).replace("attach://", "") in params));
  if (missing) return "Bad Request: attached file not found";
  return items.map(caption).find((wrong) => wrong !== undefined);
}

/** core, answerCallbackQuery.text: "0-200 characters". */
function notice({ text: said = "" }: Params): string | undefined {
  return said.length > 200 ? "Bad Request: MESSAGE_TOO_LONG" : undefined;
}

/** core, getUpdates: limit 1-100; a positive timeout for long polling. */
function updates({ limit = 100, timeout = 0 }: Params): string | undefined {
  return limit >= 1 && limit <= 100 && timeout >= 0 ? undefined : "Bad Request: wrong limit or timeout";
}

/** core, getFile: "bots can download files of up to 20MB in size". */
export const maxDownloadBytes = 20 * 1024 * 1024;
