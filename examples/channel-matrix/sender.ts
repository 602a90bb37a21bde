import { createHash } from "node:crypto";
import { isVerbatim, textOf, type Channel, type Json, type Sent, type Values } from "@gantry/sdk";
import {
  readMarkdown,
  renderHtml,
  sendInParts,
  sentOf,
  splitRichText,
  splitVerbatim,
  type ChannelHealth,
  type PlatformFailure,
  type RichText,
} from "@gantry/sdk/channel";
import type { MatrixApi } from "./api.ts";

/** An event may have 64 KiB, and HTML is longer than its text. */
const maxText = 8_000;

/** Sends replies as notices, which other bots do not answer; the transaction's name makes every try the same message. */
export function createSender(api: MatrixApi, health: ChannelHealth, values: () => Values): Channel["send"] {
  const put = async (room: string, name: string, content: object, signal: AbortSignal): Promise<string> => {
    const transaction = createHash("sha256").update(name).digest("hex").slice(0, 32);
    const path = `/rooms/${encodeURIComponent(room)}/send/m.room.message/${transaction}`;
    return (await api.call<{ event_id: string }>("PUT", path, signal, content)).event_id;
  };
  return async ({ to, parts, key }, signal) => {
    const { room, thread } = addressOf(to);
    if (room === undefined) return { status: "refused", reason: `${JSON.stringify(to)} is no room` };
    const inThread =
      thread === undefined ? {} : { "m.relates_to": { rel_type: "m.thread", event_id: thread } };
    const verbatim = isVerbatim(parts);
    const deliver = async (rich: RichText, name: string): Promise<Sent> => {
      const plain = { msgtype: "m.notice", body: rich.text, ...inThread };
      const html = { format: "org.matrix.custom.html", formatted_body: renderHtml(rich, { breaks: true }) };
      return sentOf(() =>
        put(room, name, verbatim ? plain : { ...plain, ...html }, signal).catch((error: PlatformFailure) => {
          if (error.kind === "account") health.refused(error.message);
          // A form that the homeserver does not understand: the answer must not vanish for its looks.
          if (error.kind !== "form") throw error;
          return put(room, `${name}:plain`, plain, signal);
        }),
      );
    };
    const text = textOf(parts);
    const pieces = verbatim
      ? splitVerbatim(text, { max: maxText })
      : splitRichText(await readMarkdown(text), { max: maxText });
    return sendInParts({
      values: values(),
      space: "matrix.parts",
      key,
      parts: pieces,
      send: (piece, i) => deliver(piece, `${key}:${i}`),
    });
  };
}

/** Reads the address that {@link readEvent} put into `replyTo`. */
export function addressOf(to: Json): { readonly room?: string; readonly thread?: string } {
  const { room, thread } = Object(to) as { room?: unknown; thread?: unknown };
  return { ...(typeof room === "string" && { room }), ...(typeof thread === "string" && { thread }) };
}
