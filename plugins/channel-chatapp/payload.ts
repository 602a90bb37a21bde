import { directMessage, textParts, type InboundMessage } from "@gantry/sdk";

/**
 * The text messages of a webhook payload, in its order. What is malformed or of another type is
 * left out, the rest is kept.
 */
export function textMessages(payload: object, now: number): readonly InboundMessage[] {
  return items(payload, "entry")
    .flatMap((entry) => items(entry, "changes"))
    .flatMap((change) => items(field(change, "value"), "messages"))
    .flatMap((message) => textMessage(message, now) ?? []);
}

function textMessage(given: unknown, now: number): InboundMessage | undefined {
  const id = field(given, "id");
  const from = field(given, "from");
  const text = field(field(given, "text"), "body");
  if (
    field(given, "type") !== "text" ||
    !isText(id) ||
    !isText(text) ||
    !isText(from) ||
    !/^\+?[0-9]{1,20}$/.test(from)
  )
    return undefined;
  const number = from.startsWith("+") ? from : `+${from}`;
  const timestamp = seconds(field(given, "timestamp")) ?? now;
  const replyTo = { to: number, message: id };
  const message = { channel: "chatapp", id, from: number, timestamp, replyTo };
  const context = field(given, "context");
  const isForwarded = ["forwarded", "frequently_forwarded"].some((key) => field(context, key) === true);
  if (!isForwarded) return directMessage({ ...message, text });
  return directMessage({ ...message, text: "[forwarded message]", quoted: textParts(text) });
}

function seconds(value: unknown): number | undefined {
  return /^\d{1,12}$/.test(String(value)) ? Number(value) : undefined;
}

function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

function items(value: unknown, key: string): readonly unknown[] {
  const list = field(value, key);
  return Array.isArray(list) ? list : [];
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
