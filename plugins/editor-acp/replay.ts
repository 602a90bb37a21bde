import { randomUUID } from "node:crypto";
import type { ContentBlock, SessionUpdate } from "@agentclientprotocol/sdk";
import { mediaBounds, textOf, type ChatMessage, type Media, type MediaRef, type Part } from "@gantry/sdk";
import { fenced, titleOf } from "./shown-call.ts";

type Said = Extract<ChatMessage, { role: "user" }>;
type Answered = Extract<ChatMessage, { role: "assistant" }>;
type Result = Extract<ChatMessage, { role: "tool" }>;

interface Replaying {
  readonly media: Media | undefined;
  /** Gives an id that no other call of the session has. */
  next(): string;
  send(update: SessionUpdate): Promise<void>;
}

/** Tells an editor what was said in a conversation, in order. */
export async function replay(messages: readonly ChatMessage[], replaying: Replaying): Promise<void> {
  const shown = new Map<string, string>();
  for (const message of messages) {
    if (message.role === "user") await replaySaid(message, replaying);
    if (message.role === "assistant") await replayAnswer(message, shown, replaying);
    if (message.role === "tool") await replayResult(message, shown, replaying);
  }
}

/**
 * Returns what a person has written themselves: the last text, which stands behind what the host
 * has noted with it.
 */
export function ownWords(parts: readonly Part[]): string {
  const own = parts.findLast((part) => part.type === "text" && part.from === undefined);
  return own?.type === "text" ? own.text : "";
}

async function replaySaid({ parts }: Said, { media, send }: Replaying): Promise<void> {
  const messageId = randomUUID();
  const add = (content: ContentBlock): Promise<void> =>
    send({ sessionUpdate: "user_message_chunk", messageId, content });
  const text = ownWords(parts);
  if (text !== "") await add({ type: "text", text });
  for (const part of parts) if (part.type === "media") await add(await picture(part.media, media));
}

async function picture(ref: MediaRef, media: Media | undefined): Promise<ContentBlock> {
  const isShown = ref.mime.startsWith("image/") && ref.bytes <= mediaBounds.image;
  const bytes = isShown ? await media?.open(ref.id) : undefined;
  if (!bytes) return { type: "text", text: textOf([{ type: "media", media: ref }]) };
  return { type: "image", mimeType: ref.mime, data: Buffer.from(bytes).toString("base64") };
}

async function replayAnswer(
  { parts, toolCalls }: Answered,
  shown: Map<string, string>,
  { next, send }: Replaying,
): Promise<void> {
  const text = textOf(parts);
  const content = { type: "text", text } as const;
  if (text !== "") await send({ sessionUpdate: "agent_message_chunk", messageId: randomUUID(), content });
  for (const { id, name, args } of toolCalls) {
    const rawInput = readArgs(args);
    const toolCallId = next();
    shown.set(id, toolCallId);
    const title = titleOf(name, rawInput);
    await send({ sessionUpdate: "tool_call", toolCallId, title, name, status: "pending", rawInput });
  }
}

async function replayResult(
  { callId, parts, failed }: Result,
  shown: Map<string, string>,
  { send }: Replaying,
): Promise<void> {
  const toolCallId = shown.get(callId);
  if (toolCallId === undefined) return;
  const status = failed ? "failed" : "completed";
  await send({ sessionUpdate: "tool_call_update", toolCallId, status, content: [fenced(textOf(parts))] });
}

/** Returns the arguments as the model wrote them, if they are an object of JSON. */
function readArgs(args: string): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(args);
    return typeof read === "object" && read !== null ? (read as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
