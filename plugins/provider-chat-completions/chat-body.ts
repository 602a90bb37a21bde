import { splitImages, textOf } from "@gantry/sdk";
import type { ChatMessage, ChatRequest, ToolSpec } from "@gantry/sdk";
import { isJson } from "./call-list.ts";
import type { Refused } from "./refused-fields.ts";

/** Sent where nothing else limits an answer, until a server finds it too much. */
const MAX_TOKENS = 8_192;

/** The request as chat completions want it, without the fields that the server has refused before. */
export function chatBody(
  request: ChatRequest,
  model: string | undefined,
  refused: Refused,
): Record<string, unknown> {
  const limit = refused.has("max_tokens") ? "max_completion_tokens" : "max_tokens";
  return {
    ...(model !== undefined && { model }),
    messages: request.messages.map(asMessage),
    ...(!refused.has("temperature") && { temperature: request.temperature }),
    ...(!refused.has("max_completion_tokens") && { [limit]: request.maxTokens ?? MAX_TOKENS }),
    ...(request.tools.length > 0 && { tools: request.tools.map(asTool) }),
    stream: true,
    ...(!refused.has("stream_options") && { stream_options: { include_usage: true } }),
  };
}

function asMessage(message: ChatMessage): object {
  const text = textOf(message.parts);
  switch (message.role) {
    case "system":
      return { role: "system", content: text };
    case "user":
      return { role: "user", content: userContent(text) };
    case "tool":
      return { role: "tool", tool_call_id: message.callId, content: text };
    case "assistant": {
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

function userContent(text: string): string | object[] {
  const parts = splitImages(text);
  if (parts.every((part) => part.type === "text")) return text;
  return parts.map((part) =>
    part.type === "text"
      ? { type: "text", text: part.text }
      : { type: "image_url", image_url: { url: `data:${part.mime};base64,${part.data}` } },
  );
}

function asTool({ name, description, input }: ToolSpec): object {
  return { type: "function", function: { name, description, parameters: input } };
}
