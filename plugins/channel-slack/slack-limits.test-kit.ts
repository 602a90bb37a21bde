/**
 * The refusals of Slack's Web API, each with its word. Sources: "method" is
 * https://docs.slack.dev/reference/methods/ with the method's name, "kit" is
 * https://docs.slack.dev/reference/block-kit/blocks with the block's or element's name, "seen" are
 * answers of the real API that issues of its clients quote.
 */
export type Params = Readonly<Record<string, any>>;

/** Returns the error of the refusal, or undefined if the call is right. */
export type Check = (params: Params) => string | undefined;

export const checks: Readonly<Record<string, readonly Check[]>> = {
  "chat.postMessage": [channel, content, blocks, metadata, clientMessageId, thread],
  "chat.postEphemeral": [channel, user, content, blocks, thread],
  "chat.update": [channel, time, content, updatedText, blocks],
  "reactions.add": [channel, timestamp, reaction],
  "reactions.remove": [channel, timestamp, reaction],
  "conversations.history": [channel, limit],
  "conversations.replies": [channel, time, limit],
  "files.getUploadURLExternal": [upload],
  "files.completeUploadExternal": [completed],
  "assistant.threads.setStatus": [status],
};

/** method, "Scopes" of each; conversations.* need the one of the channel's kind. */
export const neededScopes: Readonly<Record<string, string>> = {
  "chat.postMessage": "chat:write",
  "chat.postEphemeral": "chat:write",
  "chat.update": "chat:write",
  "reactions.add": "reactions:write",
  "reactions.remove": "reactions:write",
  "files.info": "files:read",
  "files.getUploadURLExternal": "files:write",
  "files.completeUploadExternal": "files:write",
  "users.info": "users:read",
  "assistant.threads.setStatus": "chat:write",
  "apps.connections.open": "connections:write",
};

/** The method conversations.history, "Scopes". */
export function historyScope(id: string, isPrivate: boolean): string {
  if (id.startsWith("D")) return "im:history";
  return isPrivate || id.startsWith("G") ? "groups:history" : "channels:history";
}

function channel({ channel: id }: Params): string | undefined {
  return typeof id === "string" && /^[CDG][A-Z0-9]+$/.test(id) ? undefined : "channel_not_found";
}

function user({ user: id }: Params): string | undefined {
  return typeof id === "string" && id !== "" ? undefined : "invalid_arguments";
}

/**
 * method chat.postMessage: text or blocks are required ("no_text"); over 40,000 characters a text
 * is cut there, and refused here so that it is seen; "best results" at 4,000.
 */
function content({ text, blocks: list }: Params): string | undefined {
  if ((typeof text !== "string" || text.trim() === "") && list === undefined) return "no_text";
  if (typeof text === "string" && !text.isWellFormed()) return "invalid_arguments";
  return typeof text === "string" && text.length > 40_000 ? "msg_too_long" : undefined;
}

/**
 * seen: chat.update cuts a text at 4,000 bytes and says nothing; refused here so that it is seen.
 */
function updatedText({ text = "" }: Params): string | undefined {
  return Buffer.byteLength(text) > 4_000 ? "msg_too_long" : undefined;
}

/** kit: at most 50 blocks; seen (bolt-js 2509): about 13,200 characters in all. */
function blocks({ blocks: list }: Params): string | undefined {
  if (list === undefined) return undefined;
  if (!Array.isArray(list)) return "invalid_blocks_format";
  if (list.length > 50) return "invalid_blocks";
  if (JSON.stringify(list).length > 60_000 || visibleOf(list).length > 13_000) return "msg_blocks_too_long";
  return list.every(isBlock) ? undefined : "invalid_blocks";
}

function isBlock(block: Params): boolean {
  if (block["type"] === "rich_text")
    return isFilled(block["elements"]) && block["elements"].every(isContainer);
  // kit actions: at most 25 elements; kit section: text of 1 to 3,000 characters.
  if (block["type"] === "actions")
    return isFilled(block["elements"]) && block["elements"].length <= 25 && block["elements"].every(isButton);
  const size = block["text"]?.text?.length ?? 0;
  return block["type"] === "section" && size >= 1 && size <= 3_000;
}

const containers = new Set(["rich_text_section", "rich_text_preformatted", "rich_text_quote"]);
const styles = new Set(["bold", "italic", "strike", "code"]);

/** kit rich_text: containers of inline elements; seen: an empty text is refused. */
function isContainer({ type, elements }: Params): boolean {
  return containers.has(type) && isFilled(elements) && elements.every((one: Params) => isInline(one, type));
}

function isInline({ type, text, url, style = {} }: Params, container: string): boolean {
  if (typeof text !== "string" || text === "" || !text.isWellFormed()) return false;
  const known = Object.keys(style).every((name) => styles.has(name));
  const isStyled = Object.keys(style).length > 0;
  if (container === "rich_text_preformatted" && isStyled) return false;
  return known && (type === "text" || (type === "link" && URL.canParse(url)));
}

/** kit button: text of 75 characters, action_id of 255, value of 2,000. */
function isButton({ type, text, action_id = "", value = "" }: Params): boolean {
  const label = text?.type === "plain_text" ? text.text : "";
  return (
    type === "button" &&
    label.length >= 1 &&
    label.length <= 75 &&
    action_id.length <= 255 &&
    value.length <= 2_000
  );
}

function isFilled(list: unknown): list is readonly Params[] {
  return Array.isArray(list) && list.length > 0;
}

/**
 * method chat.postMessage, errors: "metadata_must_be_sent_with_event_type",
 * "invalid_metadata_format".
 */
function metadata({ metadata: data }: Params): string | undefined {
  if (data === undefined) return undefined;
  const isWhole = typeof data.event_type === "string" && typeof data.event_payload === "object";
  if (!isWhole) return "invalid_metadata_format";
  return JSON.stringify(data).length > 16_384 ? "metadata_too_large" : undefined;
}

/** Slack's own clients send a UUID; method chat.postMessage names client_msg_id in its errors. */
function clientMessageId({ client_msg_id: id }: Params): string | undefined {
  const form = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;
  return id === undefined || form.test(id) ? undefined : "invalid_arguments";
}

function isTime(ts: unknown): boolean {
  return typeof ts === "string" && /^\d+\.\d{6}$/.test(ts);
}

function thread({ thread_ts }: Params): string | undefined {
  return thread_ts === undefined || isTime(thread_ts) ? undefined : "invalid_thread_ts";
}

function time({ ts }: Params): string | undefined {
  return isTime(ts) ? undefined : "message_not_found";
}

function timestamp({ timestamp: ts }: Params): string | undefined {
  return isTime(ts) ? undefined : "bad_timestamp";
}

/** method reactions.add, errors: "invalid_name". */
function reaction({ name }: Params): string | undefined {
  return typeof name === "string" && /^[a-z0-9_+-]+$/.test(name) ? undefined : "invalid_name";
}

/** method conversations.history: limit at most 999. */
function limit({ limit: size = 100 }: Params): string | undefined {
  return Number(size) >= 1 && Number(size) <= 999 ? undefined : "invalid_limit";
}

function upload({ filename, length }: Params): string | undefined {
  return typeof filename === "string" && filename !== "" && Number(length) > 0
    ? undefined
    : "invalid_arguments";
}

function completed({ files, channel_id }: Params): string | undefined {
  if (!isFilled(files)) return "invalid_arguments";
  return channel({ channel: channel_id });
}

function status({ channel_id, thread_ts, status: words }: Params): string | undefined {
  if (typeof words !== "string" || !isTime(thread_ts)) return "invalid_arguments";
  return channel({ channel: channel_id });
}

/** Returns what people see of blocks. */
export function visibleOf(list: readonly Params[]): string {
  return list
    .flatMap((block) => (block["type"] === "rich_text" ? block["elements"] : []))
    .map(({ elements }: Params) => elements.map(({ text }: Params) => text).join(""))
    .join("\n");
}

/** The most connections of an app: https://docs.slack.dev/apis/events-api/using-socket-mode */
export const maxConnections = 10;
/** The time within which an envelope wants its acknowledgement: the same page. */
export const acknowledgeMs = 3_000;
