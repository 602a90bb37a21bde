import type { ChatMessage, ChatRequest } from "@gantry/sdk";
import type { CarriedMedia, Piece, ProviderSettings } from "@gantry/sdk/provider";

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
  readonly generationConfig?: {
    readonly temperature?: number;
    readonly maxOutputTokens: number;
    readonly thinkingConfig?: { readonly thinkingBudget: number };
  };
}

/** Fixed for every request. */
export const MAX_OUTPUT_TOKENS = 8192;

/** Tokens for thoughts, by effort. */
const THOUGHTS = { minimal: 512, low: 1_024, medium: 8_192, high: 24_576 } as const;

export function toBody(
  { messages, temperature, effort: wanted }: ChatRequest,
  media: CarriedMedia,
  { effort: configured, send_temperature }: Pick<ProviderSettings, "effort" | "send_temperature">,
): Body {
  const effort = wanted ?? configured;
  const system = messages
    .filter(({ role }) => role === "system")
    .map(({ parts }) => media.text(parts))
    .filter((text) => text !== "");
  return {
    contents: messages.flatMap((message) => toContent(message, media)),
    ...(system.length > 0 && { systemInstruction: { parts: [{ text: system.join("\n\n") }] } }),
    generationConfig: {
      ...(send_temperature && { temperature }),
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      ...(effort && { thinkingConfig: { thinkingBudget: THOUGHTS[effort] } }),
    },
  };
}

/** There are no tools here: earlier calls and results are told in words. */
function toContent(message: ChatMessage, media: CarriedMedia): Content[] {
  if (message.role === "system") return [];
  const { role, parts } = message;
  if (role === "user") return content("user", media.pieces(parts).map(toPart));
  const text = media.text(parts);
  if (role === "tool") {
    const result = { text: `Result of the tool ${message.name}:\n${text}` };
    return content("user", [result, ...media.media(parts).map(toPart)]);
  }
  const calls = message.toolCalls.map(({ name, args }) => `I called the tool ${name} with ${args}.`);
  return content("model", [{ text: [text, ...calls].filter((line) => line !== "").join("\n") }]);
}

function toPart(piece: Piece): Part {
  return piece.type === "text"
    ? { text: piece.text }
    : { inlineData: { mimeType: piece.mime, data: piece.data } };
}

/** The server refuses empty parts. */
function content(role: Content["role"], parts: readonly Part[]): Content[] {
  const kept = parts.filter((part) => !("text" in part) || part.text !== "");
  return kept.length > 0 ? [{ role, parts: kept }] : [];
}
