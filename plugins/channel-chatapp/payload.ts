import { textParts } from "@gantry/sdk";
import type { PlatformMessage } from "@gantry/sdk/channel";
import type { ChatAddress } from "./address.ts";

export type ChatappMessage = PlatformMessage<ChatAddress, never>;

/**
 * Returns the text messages of a webhook payload, in its order. What is malformed or of another
 * type is left out, the rest is kept.
 */
export function textMessages(payload: object, now: number): readonly ChatappMessage[] {
  return items(payload, "entry")
    .flatMap((entry) => items(entry, "changes"))
    .flatMap((change) => items(field(change, "value"), "messages"))
    .flatMap((message) => textMessage(message, now) ?? []);
}

function textMessage(given: unknown, now: number): ChatappMessage | undefined {
  const id = field(given, "id");
  const from = field(given, "from");
  const text = field(field(given, "text"), "body");
  if (field(given, "type") !== "text" || !isText(id) || !isText(text)) return undefined;
  if (!isText(from) || !/^\+?[0-9]{1,20}$/.test(from)) return undefined;
  const number = from.startsWith("+") ? from : `+${from}`;
  const context = field(given, "context");
  const forwarded = ["forwarded", "frequently_forwarded"].some((key) => field(context, key) === true);
  return {
    id,
    timestamp: seconds(field(given, "timestamp")) ?? now,
    sender: { id: number },
    conversation: { id: number, kind: "direct" },
    replyTo: { to: number, message: id },
    text: forwarded ? "[forwarded message]" : text,
    quoted: forwarded ? textParts(text) : [],
    mentioned: false,
    files: [],
  };
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
