import { textOf, textParts, type ChatMessage } from "@gantry/sdk";
import { ownWords } from "./shorten.ts";

const HEAD = "What I said earlier in this conversation, in my own words, oldest first:";
const ITEM = "\n- ";
const SUMMARY = "the summary of what was before";
/** Characters of one message that are kept in the person's own words. */
const MOST_OF_ONE = 500;
/**
 * So many of the first stay, whatever comes later: what somebody begins with is often what all else
 * is about.
 */
const FIRST = 4;

/**
 * Returns the messages that replace earlier turns: the person's own words, so that none of them
 * hangs on a summary, and the summary, which holds what tools brought and is material like them.
 */
export function baseOf(words: readonly string[], summary: string): readonly ChatMessage[] {
  const said = [HEAD, ...words].join(ITEM);
  return [
    {
      role: "user",
      parts: [...textParts(said), { type: "text", text: summary, from: SUMMARY }],
      at: Date.now(),
    },
    { role: "assistant", parts: textParts("I have that in mind, and go on from there."), toolCalls: [] },
  ];
}

/**
 * The person's words in these messages, those of an earlier base included; the middle is left out
 * where there are too many.
 */
export function wordsIn(messages: readonly ChatMessage[], most: number): readonly string[] {
  const all = messages
    .filter(({ role }) => role === "user")
    .flatMap((message) => wordsOfBase(message) ?? ownWords(message, MOST_OF_ONE));
  const words = all.filter((text) => text !== "");
  let room = most - words.slice(0, FIRST).reduce((sum, text) => sum + text.length, 0);
  const last: string[] = [];
  for (const text of words.slice(FIRST).toReversed()) {
    room -= text.length + ITEM.length;
    if (room < 0) break;
    last.unshift(text);
  }
  return [...words.slice(0, FIRST), ...last];
}

/** The summary that an earlier base holds. */
export function summaryIn(message: ChatMessage): string | undefined {
  const part = message.parts.find((found) => found.type === "text" && found.from === SUMMARY);
  return part?.type === "text" ? part.text : undefined;
}

function wordsOfBase(message: ChatMessage): readonly string[] | undefined {
  if (summaryIn(message) === undefined) return undefined;
  const [head, ...words] = textOf(message.parts.slice(0, 1)).split(ITEM);
  return head === HEAD ? words : undefined;
}
