import { Channels, textOf, type InboundMessage } from "@gantry/sdk";
import type { Registry } from "../plugins/registry.ts";
import type { Question } from "../tools/asked-question.ts";

/** So much of an id is shown, and names its question. */
export const shortIdLength = 6;

/**
 * True if only words with the id of a question decide it here: in every group, as a bare word there
 * may be meant for somebody else, and in a channel that says so.
 */
export function needsQuestionId(
  registry: Registry,
  { channel, conversation }: Pick<InboundMessage, "channel" | "conversation">,
): boolean {
  const asked = registry.get(Channels)?.get(channel)?.needsQuestionId !== undefined;
  return asked || conversation.kind !== "direct";
}

/** True if a word of the message is the id of the question, or a long enough beginning of it. */
export function namesQuestion({ parts }: Pick<InboundMessage, "parts">, id: string): boolean {
  const words = textOf(parts).toLowerCase().split(/\s+/);
  return words.some((word) => word.length >= shortIdLength && id.startsWith(word));
}

/** True if a message was written before a question stood there, so that it cannot answer it. */
export function isOlder(
  { timestamp }: Pick<InboundMessage, "timestamp">,
  { delivered }: Pick<Question, "delivered">,
): boolean {
  return delivered === undefined || timestamp < Math.floor(delivered.at / 1_000);
}
