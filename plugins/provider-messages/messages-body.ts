import { splitImages, textOf } from "@gantry/sdk";
import type { ChatMessage, ChatRequest } from "@gantry/sdk";
import { asObject } from "./json.ts";

/** Sent where nothing else limits an answer; the format wants a limit. */
const MAX_TOKENS = 8_192;

/** What a server has shown that it does not take. */
export interface Learned {
  temperature: boolean;
  /** The model's own limit. */
  maxTokens: number | undefined;
}
export const nothingLearned = (): Learned => ({ temperature: true, maxTokens: undefined });

interface Turn {
  readonly role: "user" | "assistant";
  readonly content: object[];
}

/** The request in the messages format: system apart, roles in turns, all results of one answer in one user message. */
export function messagesBody(
  request: ChatRequest,
  model: string | undefined,
  learned: Learned,
): Record<string, unknown> {
  const system = request.messages
    .flatMap((message) => (message.role === "system" ? [textOf(message.parts)] : []))
    .join("\n\n");
  return {
    ...(model !== undefined && { model }),
    max_tokens: Math.min(request.maxTokens ?? MAX_TOKENS, learned.maxTokens ?? Infinity),
    ...(system !== "" && { system }),
    messages: inTurns(request.messages).map(plain),
    ...(learned.temperature && { temperature: request.temperature }),
    ...(request.tools.length > 0 && {
      tools: request.tools.map(({ name, description, input }) => ({
        name,
        description,
        input_schema: input,
      })),
    }),
    stream: true,
  };
}

/** Learns from a refusal (its text); true where the request can be sent again without what it speaks of. */
export function learn(text: string, sent: Readonly<Record<string, unknown>>, learned: Learned): boolean {
  const limit = Number(/max_tokens: \d+ > (\d+)/.exec(text)?.[1] ?? 0);
  if (limit > 0 && limit < Number(sent.max_tokens)) {
    learned.maxTokens = limit;
    return true;
  }
  if (
    !("temperature" in sent) ||
    !/temperature.*(?:deprecated|not support|unsupported|not permitted)/is.test(text)
  )
    return false;
  learned.temperature = false;
  return true;
}

function inTurns(messages: readonly ChatMessage[]): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    if (message.role === "system") continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const content = blocks(message);
    const last = turns.at(-1);
    if (content.length === 0) continue;
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content });
  }
  return turns;
}

/** Words alone go as a text, which the simplest of servers reads too. */
function plain({ role, content }: Turn): object {
  const [only, ...more] = content;
  return { role, content: only && "text" in only && more.length === 0 ? only.text : content };
}

function blocks(message: Exclude<ChatMessage, { role: "system" }>): object[] {
  const said = textOf(message.parts);
  switch (message.role) {
    case "user":
      return splitImages(said).flatMap<object>((part) =>
        part.type === "image"
          ? [{ type: "image", source: { type: "base64", media_type: part.mime, data: part.data } }]
          : text(part.text.trim() === "" ? "(no text)" : part.text),
      );
    case "tool":
      return [
        {
          type: "tool_result",
          tool_use_id: legalId(message.callId),
          content: said,
          is_error: message.failed,
        },
      ];
    case "assistant":
      return [
        ...text(said.trimEnd()),
        ...message.toolCalls.map(({ id, name, args }) => ({
          type: "tool_use",
          id: legalId(id),
          name,
          input: inputOf(args),
        })),
      ];
  }
}

/** Empty blocks are refused by servers. */
function text(words: string): object[] {
  return words === "" ? [] : [{ type: "text", text: words }];
}

/** Ids of calls that another provider made may hold signs that this format does not take. */
function legalId(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, "_") || "_";
}

function inputOf(args: string): object {
  try {
    return asObject(JSON.parse(args)) ?? {};
  } catch {
    return {};
  }
}
