import { textOf, type ChatMessage, type Part, type ToolUse } from "@gantry/sdk";
import { BadRequest } from "./bad-request.ts";
import type { Attachments } from "./content.ts";
import { isObject } from "./parameters.ts";

/** One message as clients send it; what stands in it is checked where it is read. */
export interface SentMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: unknown;
  readonly tool_call_id?: unknown;
  /** Its place in the request, as `messages[2]`. */
  readonly where: string;
}

/** A request's messages as the host takes them. */
export interface SentConversation {
  /** The text of system and developer messages. */
  readonly system: string;
  /** Everything before the last words of the user. */
  readonly history: readonly ChatMessage[];
  /** The last words of the user; none if the model is to go on after a result or an answer. */
  readonly parts: readonly Part[];
}

/** The calls that a result may answer, by their ids, with the names of their tools. */
export type OpenCalls = ReadonlyMap<string, string>;

/** Reads messages; `open` are calls before them. Throws as {@link Attachments.parts} does. */
export async function readConversation(
  messages: readonly SentMessage[],
  attachments: Attachments,
  open: OpenCalls = new Map(),
): Promise<SentConversation> {
  const system: string[] = [];
  const read: ChatMessage[] = [];
  const called = new Map(open);

  for (const message of messages) {
    const { role, where } = message;
    const parts = await attachments.parts(message.content, `${where}.content`);
    if (role === "system" || role === "developer") system.push(textOf(parts));
    else if (role === "user") read.push({ role, parts });
    else if (role === "assistant") {
      const toolCalls = callsOf(message.tool_calls, where);
      for (const { id, name } of toolCalls) called.set(id, name);
      read.push({ role, parts, toolCalls });
    } else read.push(resultOf(message, parts, called));
  }

  const spoken = read.findLastIndex(({ role }) => role !== "user") + 1;
  const parts = read.slice(spoken).flatMap((message) => message.parts);
  return { system: system.join("\n\n"), history: read.slice(0, spoken), parts };
}

function callsOf(calls: unknown, where: string): readonly ToolUse[] {
  if (calls === undefined || calls === null) return [];
  if (!Array.isArray(calls)) throw new BadRequest(`${where}.tool_calls`, "is not a list");
  return calls.map((call: unknown, at) => {
    const given = isObject(call) ? call["function"] : undefined;
    if (!isObject(call) || typeof call["id"] !== "string" || !isObject(given))
      throw new BadRequest(`${where}.tool_calls[${at}]`, "is not a call of a function");
    return { id: call["id"], name: String(given["name"]), args: String(given["arguments"] ?? "{}") };
  });
}

/** Returns what a client's tool brought, which is material like any other result. */
function resultOf(
  { tool_call_id: id, where }: SentMessage,
  parts: readonly Part[],
  called: OpenCalls,
): ChatMessage {
  const name = called.get(String(id));
  if (name === undefined) throw new BadRequest(`${where}.tool_call_id`, "names no call before it");
  const from = `tool ${name}`;
  const material = parts.map((part) => ({ ...part, from }));
  return { role: "tool", callId: String(id), name, parts: material, failed: false };
}
