import { textOf, textParts, type ChatMessage, type HistoryRequest, type Logger } from "@gantry/sdk";
import { summaryIn } from "./base.ts";

const ORDER = [
  "Write down what has to be kept of the conversation below, for yourself, to go on with it later without seeing it again.",
  "Keep: what was asked and why, decisions and the reasons for them, names, numbers, paths and commands that matter, what was done and what came of it, what is still open.",
  "Leave out greetings and what is settled. Plain sentences, no more than",
].join(" ");
/** Characters of one message that the summary is made from. */
const MOST_OF_ONE = 1_500;

/**
 * A summary of these messages by the model, or, where it cannot make one, the end of what was said.
 */
export async function summarise(
  messages: readonly ChatMessage[],
  request: HistoryRequest,
  room: { readonly read: number; readonly write: number },
  log: Logger,
): Promise<string> {
  const story = told(messages, room.read);
  const words = Math.max(60, Math.floor(room.write / 7));
  try {
    const text = await request.complete([
      {
        role: "user",
        parts: [
          ...textParts(`${ORDER} ${words} words.`),
          { type: "text", text: story, from: "the conversation so far" },
        ],
      },
    ]);
    if (text.trim() !== "") return text.trim().slice(0, room.write);
  } catch (error) {
    log.warn({ lane: request.session, err: error }, `No summary could be made: ${(error as Error).message}`);
  }
  return story.slice(-room.write);
}

/** The messages as a story, the newest whole if not all has room. */
function told(messages: readonly ChatMessage[], most: number): string {
  const lines = messages.flatMap(tellOne);
  let room = most;
  const kept: string[] = [];
  for (const line of lines.toReversed()) {
    room -= line.length + 1;
    if (room < 0) break;
    kept.unshift(line);
  }
  return kept.join("\n");
}

function tellOne(message: ChatMessage): readonly string[] {
  const before = summaryIn(message);
  if (before !== undefined) return [`Before that: ${before}`];
  const text = textOf(message.parts).slice(0, MOST_OF_ONE);
  if (message.role === "user") return [`Person: ${text}`];
  if (message.role === "tool") return [`Result of ${message.name}: ${text}`];
  if (message.role !== "assistant") return [];
  const calls = message.toolCalls.map(({ name, args }) => `You called ${name} ${args.slice(0, MOST_OF_ONE)}`);
  return text === "" ? calls : [`You: ${text}`, ...calls];
}
