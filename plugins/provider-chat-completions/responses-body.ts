import { splitImages, textOf } from "@gantry/sdk";
import type { ChatMessage, ChatRequest } from "@gantry/sdk";
import { isJson } from "./call-list.ts";
import type { Refused } from "./refused-fields.ts";

/** The request in the form of responses; nothing is kept on the other side. */
export function responsesBody(
  request: ChatRequest,
  model: string | undefined,
  refused: Refused,
): Record<string, unknown> {
  const instructions = request.messages
    .flatMap((message) => (message.role === "system" ? [textOf(message.parts)] : []))
    .join("\n\n");
  return {
    ...(model !== undefined && { model }),
    ...(instructions !== "" && { instructions }),
    input: request.messages.flatMap(items),
    ...(!refused.has("temperature") && { temperature: request.temperature }),
    ...(request.maxTokens !== undefined && { max_output_tokens: request.maxTokens }),
    ...(request.tools.length > 0 && {
      tools: request.tools.map(({ name, description, input }) => ({
        type: "function",
        name,
        description,
        parameters: input,
        strict: false,
      })),
    }),
    store: false,
  };
}

function items(message: ChatMessage): object[] {
  const text = textOf(message.parts);
  switch (message.role) {
    case "system":
      return [];
    case "user":
      return [{ type: "message", role: "user", content: userContent(text) }];
    case "tool":
      return [{ type: "function_call_output", call_id: message.callId, output: text }];
    case "assistant": {
      const said = { type: "message", role: "assistant", content: text };
      const calls = message.toolCalls.map(({ id, name, args }) => ({
        type: "function_call",
        call_id: id,
        name,
        arguments: isJson(args) ? args : "{}",
      }));
      return text === "" ? calls : [said, ...calls];
    }
  }
}

function userContent(text: string): object[] {
  const parts = splitImages(text);
  if (parts.every((part) => part.type === "text")) return [{ type: "input_text", text }];
  return parts.map((part) =>
    part.type === "text"
      ? { type: "input_text", text: part.text }
      : { type: "input_image", detail: "auto", image_url: `data:${part.mime};base64,${part.data}` },
  );
}
