import { definePlugin, History, textOf, textParts, type ChatMessage, type HistoryRequest } from "@gantry/sdk";
import { Type } from "typebox";

const request = `Write down what must be remembered of the conversation so far: facts, decisions, open tasks. At most 20 short lines.`;

/**
 * Returns the index at which the part begins that stays as it is: at a person's words, so that no
 * call loses its result.
 */
function keptFrom(earlier: readonly ChatMessage[], keep: number): number {
  return earlier.findIndex(({ role }, at) => role === "user" && at >= earlier.length - keep);
}

/**
 * Returns the text for the model that takes the notes: words alone, in one text, so that it answers
 * none of it.
 */
function transcript(messages: readonly ChatMessage[]): string {
  return messages.map(({ role, parts }) => `${role}: ${textOf(parts).slice(0, 2_000)}`).join("\n");
}

/** Turns old messages into notes; undefined if there is nothing to do. */
export async function fit(
  { earlier, current, reason, complete }: HistoryRequest,
  most: number,
): Promise<{ earlier: readonly ChatMessage[]; current: readonly ChatMessage[] } | undefined> {
  if (reason === "request" && earlier.length <= most) return undefined;
  // In one step for many turns: every change costs the provider's cache of all behind it.
  const from = keptFrom(earlier, Math.floor(most / 2));
  const old = from < 0 ? earlier : earlier.slice(0, from);
  if (old.length < 2) return undefined;
  const notes = await complete([{ role: "user", parts: textParts(`${request}\n\n${transcript(old)}`) }]);
  const told: ChatMessage = { role: "user", parts: textParts(`Notes of the conversation so far:\n${notes}`) };
  const taken: ChatMessage = { role: "assistant", parts: textParts("I have read them."), toolCalls: [] };
  return { earlier: [told, taken, ...earlier.slice(from < 0 ? earlier.length : from)], current };
}

export default definePlugin({
  name: "history-notes",
  summary: "What is old in a conversation becomes notes that the model wrote itself.",
  config: Type.Object({
    most: Type.Integer({ default: 60, minimum: 4, description: "Messages that the model is sent at most." }),
  }),
  provides: [History],
  setup(host) {
    host.provide(History, { fit: (given) => fit(given, host.config.most) });
  },
});
