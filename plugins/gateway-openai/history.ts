import { textOf, textParts, type ChatMessage, type MediaRef, type Part, type ToolUse } from "@gantry/sdk";
import { BadRequest } from "./bad-request.ts";
import { isObject, type SentMessage } from "./request.ts";

/** A request's messages as the host takes them. */
export interface SentConversation {
  /** What system and developer messages say. */
  readonly system: string;
  /** Everything before the last words of the user. */
  readonly history: readonly ChatMessage[];
  /** The last words of the user; none if the model is to go on after a result or an answer. */
  readonly parts: readonly Part[];
}

type Keep = (bytes: Uint8Array, mime: string) => Promise<MediaRef>;

const dataUrl = /^data:(image\/[a-z0-9.+-]+);base64,([A-Za-z0-9+/=\s]+)$/i;

/** Throws {@link BadRequest}; `keep` stores a picture. */
export async function readConversation(
  messages: readonly SentMessage[],
  keep: Keep,
): Promise<SentConversation> {
  const system: string[] = [];
  const read: ChatMessage[] = [];
  const called = new Map<string, string>();

  for (const [at, message] of messages.entries()) {
    const where = `messages[${at}]`;
    const parts = await partsOf(message.content, where, keep);
    if (message.role === "system" || message.role === "developer") system.push(textOf(parts));
    else if (message.role === "user") read.push({ role: "user", parts });
    else if (message.role === "assistant") {
      const toolCalls = callsOf(message.tool_calls, where);
      for (const { id, name } of toolCalls) called.set(id, name);
      read.push({ role: "assistant", parts, toolCalls });
    } else read.push(resultOf(message, parts, called, where));
  }

  const spoken = read.findLastIndex(({ role }) => role !== "user") + 1;
  const parts = read.slice(spoken).flatMap((message) => message.parts);
  return { system: system.join("\n\n"), history: read.slice(0, spoken), parts };
}

async function partsOf(content: unknown, where: string, keep: Keep): Promise<readonly Part[]> {
  if (content === undefined || content === null || content === "") return [];
  if (typeof content === "string") return textParts(content);
  if (!Array.isArray(content))
    throw new BadRequest(`${where}.content`, "is neither text nor a list of parts");
  return Promise.all(content.map((part: unknown, at) => partOf(part, `${where}.content[${at}]`, keep)));
}

async function partOf(part: unknown, where: string, keep: Keep): Promise<Part> {
  if (isObject(part) && part["type"] === "text" && typeof part["text"] === "string")
    return { type: "text", text: part["text"] };
  if (!isObject(part) || part["type"] !== "image_url")
    throw new BadRequest(where, "is neither a text nor an image_url");
  const { image_url: image } = part;
  const url = isObject(image) ? image["url"] : image;
  const [, mime = "", data = ""] = dataUrl.exec(String(url)) ?? [];
  if (mime === "") throw new BadRequest(where, "is no picture in a data: address, and no other is fetched");
  return { type: "media", media: await keep(Buffer.from(data, "base64"), mime) };
}

function callsOf(calls: unknown, where: string): readonly ToolUse[] {
  if (calls === undefined || calls === null) return [];
  if (!Array.isArray(calls)) throw new BadRequest(`${where}.tool_calls`, "is no list");
  return calls.map((call: unknown, at) => {
    const given = isObject(call) ? call["function"] : undefined;
    if (!isObject(call) || typeof call["id"] !== "string" || !isObject(given))
      throw new BadRequest(`${where}.tool_calls[${at}]`, "is no call of a function");
    return { id: call["id"], name: String(given["name"]), args: String(given["arguments"] ?? "{}") };
  });
}

/** What a client's tool brought is material like any other result. */
function resultOf(
  { tool_call_id: id }: SentMessage,
  parts: readonly Part[],
  called: ReadonlyMap<string, string>,
  where: string,
): ChatMessage {
  const name = called.get(String(id));
  if (name === undefined) throw new BadRequest(`${where}.tool_call_id`, "names no call before it");
  const from = `tool ${name}`;
  const material = parts.map((part) => (part.type === "text" ? { ...part, from } : part));
  return { role: "tool", callId: String(id), name, parts: material, failed: false };
}
