import {
  textOf,
  textParts,
  type ChatMessage,
  type FittedHistory,
  type MediaRef,
  type Part,
} from "@gantry/sdk";

/** Shorter results are left whole: a line in their place would save nothing. */
const WORTH = 300;

/**
 * A result cut to so many characters, with a word on how to read on; the same message where it is
 * short enough.
 */
export function cutResult<M extends ChatMessage>(message: M, most: number): M {
  const whole = textOf(message.parts).length;
  if (whole <= most) return message;
  let room = Math.max(0, most - 200);
  const parts: Part[] = [];
  for (const part of message.parts) {
    if (part.type !== "text") {
      parts.push(part);
      continue;
    }
    parts.push({ ...part, text: part.text.slice(0, room) });
    room = Math.max(0, room - part.text.length);
  }
  const note = `[Cut: the first ${most} of ${whole} characters, which is all that your window has room for. Read on in pieces: a range of lines, a search, or head and tail.]`;
  return { ...message, parts: [...parts, { type: "text", text: note }] };
}

/** An old result as one line; what it held can be had again. */
export function asLine(message: ChatMessage): ChatMessage {
  if (message.role !== "tool") return message;
  const length = textOf(message.parts).length;
  if (length <= WORTH && message.parts.every(({ type }) => type === "text")) return message;
  const line = `[${message.name}: ${length} characters, left out to save room; call it again if they are needed]`;
  return { ...message, parts: textParts(line) };
}

/**
 * A person's own words without what they brought along, on one line of at most so many characters.
 */
export function ownWords(message: ChatMessage, most: number): string {
  const said = message.parts.filter(
    (part) => (part.type === "media" || part.type === "text") && part.from === undefined,
  );
  const text = textOf(said).replace(/\s+/g, " ").trim();
  return text.length <= most ? text : `${text.slice(0, most).trimEnd()}…`;
}

/** Turns, each beginning with the person's message. */
export function turnsOf(messages: readonly ChatMessage[]): readonly (readonly ChatMessage[])[] {
  const turns: ChatMessage[][] = [];
  for (const message of messages) {
    if (message.role === "user" || turns.length === 0) turns.push([]);
    turns.at(-1)?.push(message);
  }
  return turns;
}

/**
 * Returns the same with a line in place of each picture and file; undefined if these are not most
 * of what was sent.
 */
export function withoutMedia({ earlier, current }: FittedHistory): FittedHistory | undefined {
  const all = [...earlier, ...current];
  const bytes = new Map(all.flatMap(partsOf).map((media) => [media.id, media.bytes]));
  const sum = [...bytes.values()].reduce((before, one) => before + one, 0);
  const text = all.reduce((before, { parts }) => before + textOf(parts).length, 0);
  if (sum <= text) return undefined;
  return { earlier: earlier.map(withoutIts), current: current.map(withoutIts) };
}

function partsOf({ parts }: ChatMessage): readonly MediaRef[] {
  return parts.flatMap((part) => (part.type === "media" ? [part.media] : []));
}

function withoutIts<M extends ChatMessage>(message: M): M {
  const parts = message.parts.map((part): Part => {
    if (part.type !== "media") return part;
    const { mime, name = "without a name", bytes } = part.media;
    const text = `[${mime}, ${name}, ${bytes} bytes: left out, as the model's server did not take the request that held it]`;
    return { type: "text", text, ...(part.from !== undefined && { from: part.from }) };
  });
  return { ...message, parts };
}
