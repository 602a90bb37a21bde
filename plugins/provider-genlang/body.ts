import { splitImages, textOf } from "@gantry/sdk";
import type { ChatMessage } from "@gantry/sdk";

export type Part =
  | { readonly text: string }
  | { readonly inlineData: { readonly mimeType: string; readonly data: string } };

export interface Content {
  readonly role: "user" | "model";
  readonly parts: readonly Part[];
}

/** The body of a generative-language request. */
export interface Body {
  readonly contents: readonly Content[];
  readonly systemInstruction?: { readonly parts: readonly [{ readonly text: string }] };
  readonly generationConfig?: { readonly temperature: number; readonly maxOutputTokens: number };
}

/** Fixed for every request. */
export const MAX_OUTPUT_TOKENS = 8192;

export function toBody(messages: readonly ChatMessage[], temperature: number): Body {
  const system = messages
    .filter(({ role }) => role === "system")
    .map(({ parts }) => textOf(parts))
    .filter((text) => text !== "");
  return {
    contents: messages.flatMap(toContent),
    ...(system.length > 0 && { systemInstruction: { parts: [{ text: system.join("\n\n") }] } }),
    generationConfig: { temperature, maxOutputTokens: MAX_OUTPUT_TOKENS },
  };
}

/** There are no tools here: earlier calls and results are told in words. */
function toContent(message: ChatMessage): Content[] {
  if (message.role === "system") return [];
  const text = textOf(message.parts);
  if (message.role === "user") return content("user", splitImages(text).map(toPart));
  if (message.role === "tool")
    return content("user", [{ text: `Result of the tool ${message.name}:\n${text}` }]);
  const calls = message.toolCalls.map(({ name, args }) => `I called the tool ${name} with ${args}.`);
  return content("model", [{ text: [text, ...calls].filter((line) => line !== "").join("\n") }]);
}

function toPart(part: ReturnType<typeof splitImages>[number]): Part {
  return part.type === "text"
    ? { text: part.text }
    : { inlineData: { mimeType: part.mime, data: part.data } };
}

/** The server refuses empty parts. */
function content(role: Content["role"], parts: readonly Part[]): Content[] {
  const kept = parts.filter((part) => !("text" in part) || part.text !== "");
  return kept.length > 0 ? [{ role, parts: kept }] : [];
}
