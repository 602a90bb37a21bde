import { charactersPerToken, lengthOf, sizeOf } from "@gantry/sdk/fill";
import type { ChatMessage, ToolSpec } from "@gantry/sdk";
import type { Answer } from "./answer.ts";

interface Sent {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolSpec[];
}

/** Returns tokens as the server counted; a guess if it counted none, or no budget would hold. */
export function countedTokens(
  { messages, tools }: Sent,
  { usage, text, calls, failure }: Answer,
): Answer["usage"] & { readonly isEstimated?: boolean } {
  const isAnswered = !failure || text !== "" || calls.length > 0;
  if (!isAnswered || usage.inputTokens + usage.outputTokens > 0) return usage;
  const sent = sizeOf(messages) + (tools.length === 0 ? 0 : lengthOf(JSON.stringify(tools)));
  const said = lengthOf(text) + calls.reduce((sum, { name, args }) => sum + name.length + lengthOf(args), 0);
  return { ...usage, inputTokens: tokensOf(sent), outputTokens: tokensOf(said), isEstimated: true };
}

function tokensOf(size: number): number {
  return Math.ceil(size / charactersPerToken);
}
