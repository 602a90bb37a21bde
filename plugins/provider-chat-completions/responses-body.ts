import { asList, asObject, type CarriedMedia, inNameOrder, isJson, type Piece } from "@gantry/sdk/provider";
import type { ChatMessage } from "@gantry/sdk";
import type { BodyInput } from "./chat-body.ts";
import { mediaFor } from "./refused-fields.ts";
import type { Refused } from "./refused-fields.ts";

/** Under this name stands what is ours of `providerData`. */
export const RESPONSES = "responses";

/** The request in the form of responses; nothing is kept on the other side. */
export function responsesBody(
  { request, model, media: carried, settings }: BodyInput,
  refused: Refused,
): Record<string, unknown> {
  const media = refused.has(mediaFor(model)) ? carried.leftOut() : carried;
  const bound = request.maxTokens ?? settings.max_output_tokens;
  const effort = request.effort ?? settings.effort;
  const instructions = request.messages
    .filter(({ role }) => role === "system")
    .map(({ parts }) => media.text(parts))
    .join("\n\n");
  return {
    ...(model !== undefined && { model }),
    ...(instructions !== "" && { instructions }),
    input: request.messages.flatMap((message) => items(message, media)),
    ...(settings.send_temperature && !refused.has("temperature") && { temperature: request.temperature }),
    ...(bound !== undefined && { max_output_tokens: bound }),
    ...(effort &&
      !refused.has("effort") && {
        reasoning: { effort },
        include: ["reasoning.encrypted_content"],
      }),
    ...(request.tools.length > 0 && {
      tools: inNameOrder(request.tools).map(({ name, description, input }) => ({
        type: "function",
        name,
        description,
        parameters: input,
        strict: false,
      })),
      ...(request.mustCall && { tool_choice: "required" }),
    }),
    store: false,
  };
}

function items(message: ChatMessage, media: CarriedMedia): object[] {
  const { parts } = message;
  switch (message.role) {
    case "system":
      return [];
    case "user":
      return [{ type: "message", role: "user", content: media.pieces(parts).map(asContent) }];
    case "tool":
      return [{ type: "function_call_output", call_id: message.callId, output: output(parts, media) }];
    case "assistant": {
      const text = media.text(parts);
      const said = { type: "message", role: "assistant", content: text };
      const calls = message.toolCalls.map(({ id, name, args }) => ({
        type: "function_call",
        call_id: id,
        name,
        arguments: isJson(args) ? args : "{}",
      }));
      const thoughts = asList(asObject(message.providerData)?.[RESPONSES]) as readonly object[];
      return [...thoughts, ...(text === "" ? [] : [said]), ...calls];
    }
  }
}

function output(parts: ChatMessage["parts"], media: CarriedMedia): string | object[] {
  const pieces = media.pieces(parts);
  return pieces.some(({ type }) => type === "media") ? pieces.map(asContent) : media.text(parts);
}

function asContent(piece: Piece): object {
  if (piece.type === "text") return { type: "input_text", text: piece.text };
  const { mime, data, name } = piece;
  const url = `data:${mime};base64,${data}`;
  return mime.startsWith("image/")
    ? { type: "input_image", detail: "auto", image_url: url }
    : { type: "input_file", filename: name || "file", file_data: url };
}
