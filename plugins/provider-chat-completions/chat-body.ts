import {
  type CarriedMedia,
  inNameOrder,
  isJson,
  type Piece,
  type ProviderSettings,
} from "@gantry/sdk/provider";
import type { ChatMessage, ChatRequest, Part, ToolSpec } from "@gantry/sdk";
import { mediaFor } from "./refused-fields.ts";
import type { Refused } from "./refused-fields.ts";

/** Sent where nothing else limits an answer, until a server finds it too much. */
const MAX_TOKENS = 8_192;

/** The parts of a body. */
export interface BodyInput {
  readonly request: ChatRequest;
  readonly model: string | undefined;
  readonly media: CarriedMedia;
  readonly settings: ProviderSettings;
}

/**
 * The request as chat completions want it, without the fields that the server has refused before.
 */
export function chatBody(
  { request, model, media, settings }: BodyInput,
  refused: Refused,
): Record<string, unknown> {
  const seen = refused.has(mediaFor(model)) ? media.leftOut() : media;
  const bound = request.maxTokens ?? settings.max_output_tokens ?? MAX_TOKENS;
  const effort = request.effort ?? settings.effort;
  const limit = refused.has("max_tokens") ? "max_completion_tokens" : "max_tokens";
  return {
    ...(model !== undefined && { model }),
    messages: asMessages(request.messages, seen),
    ...(settings.send_temperature && !refused.has("temperature") && { temperature: request.temperature }),
    ...(!refused.has("max_completion_tokens") && { [limit]: bound }),
    ...(effort && !refused.has("effort") && { reasoning_effort: effort }),
    ...(request.tools.length > 0 && { tools: inNameOrder(request.tools).map(asTool) }),
    ...(request.tools.length > 0 && request.mustCall && { tool_choice: "required" }),
    stream: true,
    ...(!refused.has("stream_options") && { stream_options: { include_usage: true } }),
  };
}

/**
 * A tool message takes text alone: the pictures of all results of one answer follow in a message of
 * their own.
 */
function asMessages(messages: readonly ChatMessage[], media: CarriedMedia): object[] {
  const all: object[] = [];
  let shown: object[] = [];
  messages.forEach((message, i) => {
    all.push(asMessage(message, media));
    if (message.role !== "tool") return;
    shown.push(...picturesOf(message, media));
    if (messages[i + 1]?.role === "tool" || shown.length === 0) return;
    all.push({ role: "user", content: shown });
    shown = [];
  });
  return all;
}

function picturesOf({ name, parts }: Extract<ChatMessage, { role: "tool" }>, media: CarriedMedia): object[] {
  const pictures = media.media(parts).map(asContent);
  return pictures.length > 0
    ? [{ type: "text", text: `Pictures from the result of the tool ${name}:` }, ...pictures]
    : [];
}

function asMessage(message: ChatMessage, media: CarriedMedia): object {
  switch (message.role) {
    case "system":
      return { role: "system", content: media.text(message.parts) };
    case "user":
      return { role: "user", content: userContent(message.parts, media) };
    case "tool":
      return { role: "tool", tool_call_id: message.callId, content: resultText(message.parts, media) };
    case "assistant": {
      const text = media.text(message.parts);
      const calls = message.toolCalls.map(({ id, name, args }) => ({
        id,
        type: "function",
        // Servers read the arguments of past calls again and fail on what is not JSON.
        function: { name, arguments: isJson(args) ? args : "{}" },
      }));
      return calls.length > 0
        ? { role: "assistant", content: text || null, tool_calls: calls }
        : { role: "assistant", content: text };
    }
  }
}

function resultText(parts: readonly Part[], media: CarriedMedia): string {
  return media.text(parts) || (media.media(parts).length > 0 ? "(see the picture below)" : "");
}

/** Text alone goes as a text, which the simplest of servers reads too. */
function userContent(parts: readonly Part[], media: CarriedMedia): string | object[] {
  const [first, ...more] = media.pieces(parts);
  return first?.type === "text" && more.length === 0 ? first.text : media.pieces(parts).map(asContent);
}

function asContent(piece: Piece): object {
  return piece.type === "text"
    ? { type: "text", text: piece.text }
    : { type: "image_url", image_url: { url: `data:${piece.mime};base64,${piece.data}` } };
}

function asTool({ name, description, input }: ToolSpec): object {
  return { type: "function", function: { name, description, parameters: input } };
}
