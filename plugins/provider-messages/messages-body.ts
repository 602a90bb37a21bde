import {
  asObject,
  type CarriedMedia,
  inNameOrder,
  type Piece,
  type ProviderSettings,
} from "@gantry/sdk/provider";
import type { ChatMessage, ChatRequest } from "@gantry/sdk";
import type { Effort } from "@gantry/sdk/fill";

/** Sent where nothing else limits an answer; the format wants a limit. */
const MAX_TOKENS = 8_192;

/** A mark up to which the server may keep what it has read. A request may have four. */
const CACHE = Object.freeze({ type: "ephemeral" });

/** With less room than this an answer is not worth its price. */
const LEAST_ANSWER = 256;

/** The fields that a server has shown it does not take. */
export interface Learned {
  temperature: boolean;
  effort: boolean;
  /** The marks for its cache. */
  cacheMarks: boolean;
  /** The model's own limit. */
  maxTokens: number | undefined;
}
export const nothingLearned = (): Learned => ({
  temperature: true,
  effort: true,
  cacheMarks: true,
  maxTokens: undefined,
});

/** The parts of a body. */
export interface BodyInput {
  readonly request: ChatRequest;
  readonly media: CarriedMedia;
  readonly settings: ProviderSettings;
}

interface Turn {
  readonly role: "user" | "assistant";
  readonly content: object[];
}

/**
 * The request in the messages format: system apart, roles in turns, all results of one answer in
 * one user message.
 */
export function messagesBody(
  { request, media, settings }: BodyInput,
  learned: Learned,
): Record<string, unknown> {
  const { model } = request;
  const bound = request.maxTokens ?? settings.max_output_tokens ?? MAX_TOKENS;
  const effort = request.effort ?? settings.effort;
  const turns = inTurns(request.messages, media);
  const system = request.messages
    .filter(({ role }) => role === "system")
    .map(({ parts }) => media.text(parts))
    .join("\n\n");
  return {
    ...(model !== undefined && { model }),
    max_tokens: Math.min(bound, learned.maxTokens ?? Infinity),
    ...(system !== "" && { system }),
    messages: (learned.cacheMarks ? markedTurns(turns) : turns).map(plain),
    ...(settings.send_temperature && learned.temperature && { temperature: request.temperature }),
    ...(effort && learned.effort && { output_config: { effort: asEffort(effort) } }),
    ...(request.tools.length > 0 && {
      tools: inNameOrder(request.tools).map(({ name, description, input }, i) => ({
        name,
        description,
        input_schema: input,
        ...(learned.cacheMarks && i === request.tools.length - 1 && { cache_control: CACHE }),
      })),
      ...(request.mustCall && { tool_choice: { type: "any" } }),
    }),
    stream: true,
  };
}

/**
 * Marks the ends of the last two turns of the person or their tools: what is sent again up to there
 * is read from the cache, the system prompt with it. The first message of a conversation has
 * nothing before it and goes as it is.
 */
function markedTurns(turns: readonly Turn[]): readonly Turn[] {
  const ends = turns.flatMap(({ role }, i) => (role === "user" ? [i] : [])).slice(-2);
  if (turns.length < 2) return turns;
  return turns.map((turn, i) => {
    const last = turn.content.at(-1);
    if (!ends.includes(i) || !last) return turn;
    return { ...turn, content: [...turn.content.slice(0, -1), { ...last, cache_control: CACHE }] };
  });
}

/**
 * Learns from a refusal (its text); returns true if the request can be sent again without what it
 * speaks of.
 */
export function learn(text: string, sent: Readonly<Record<string, unknown>>, learned: Learned): boolean {
  const limit = Number(/max_tokens: \d+ > (\d+)/.exec(text)?.[1] ?? 0);
  if (limit > 0 && limit < Number(sent.max_tokens)) {
    learned.maxTokens = limit;
    return true;
  }
  if ("output_config" in sent && /output_config|effort/.test(text)) {
    learned.effort = false;
    return true;
  }
  if (learned.cacheMarks && /cache_control/.test(text)) {
    learned.cacheMarks = false;
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

/**
 * If conversation and answer together are too long (by the server's text), returns the bound for
 * the answer with which they fit.
 */
export function boundThatFits(text: string, sent: Readonly<Record<string, unknown>>): number | undefined {
  const [, prompt, window] = /exceed context limit: (\d+) \+ \d+ > (\d+)/.exec(text) ?? [];
  const room = Number(window) - Number(prompt);
  return room >= LEAST_ANSWER && room < Number(sent.max_tokens) ? room : undefined;
}

function inTurns(messages: readonly ChatMessage[], media: CarriedMedia): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    if (message.role === "system") continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const content = blocks(message, media);
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
  const bare = only && "text" in only && !("cache_control" in only) && more.length === 0;
  return { role, content: bare ? only.text : content };
}

function blocks(message: Exclude<ChatMessage, { role: "system" }>, media: CarriedMedia): object[] {
  const pieces = media.pieces(message.parts);
  switch (message.role) {
    case "user":
      return pieces.map(asBlock);
    case "tool":
      return [
        {
          type: "tool_result",
          tool_use_id: legalId(message.callId),
          content: pieces.some(({ type }) => type === "media")
            ? pieces.map(asBlock)
            : media.text(message.parts),
          is_error: message.failed,
        },
      ];
    case "assistant":
      return [
        ...text(media.text(message.parts).trimEnd()),
        ...message.toolCalls.map(({ id, name, args }) => ({
          type: "tool_use",
          id: legalId(id),
          name,
          input: inputOf(args),
        })),
      ];
  }
}

function asBlock(piece: Piece): object {
  if (piece.type === "text")
    return { type: "text", text: piece.text.trim() === "" ? "(no text)" : piece.text };
  const type = piece.mime.startsWith("image/") ? "image" : "document";
  return { type, source: { type: "base64", media_type: piece.mime, data: piece.data } };
}

/** The least effort that the format knows is `low`. */
function asEffort(effort: Effort): string {
  return effort === "minimal" ? "low" : effort;
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
