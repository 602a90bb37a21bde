import type { OutgoingMessage, Sent } from "../messages/channel.ts";
import type { Values } from "../store/store.ts";

const dayMs = 86_400_000;
/** A part that may have been taken so often is not sent again. */
const mostUnsure = 2;

const givenUp = "the platform did not say whether it took the message, nor the copy that was sent after it";

export interface PartedMessage<Part> {
  readonly values: Values;
  /** Where progress is kept, the channel's own: `mail.parts`. */
  readonly space: string;
  /** {@link OutgoingMessage.key}: the same for every try. */
  readonly key: string;
  /** {@link OutgoingMessage.earlier} */
  readonly earlier?: OutgoingMessage["earlier"];
  readonly parts: readonly Part[];
  send(part: Part, index: number): Promise<Sent>;
  /**
   * Returns the part as a copy of one that may have arrived, with words that say so; it is sent once. Left out where the
   * platform makes one message of two with the same key.
   */
  again?(part: Part): Part;
  /** Returns what is sent in place of a part that the platform refuses, such as a file; undefined: the rest stays here too. */
  instead?(part: Part, reason: string): Part | undefined;
}

/** How far a message came: the part that is next, and how often that one may have been taken. */
interface Progress {
  readonly next: number;
  readonly unsure: number;
}

/**
 * Sends the parts of one message in order. How far it came is kept, so that another try, also of another process, sends
 * only what is left; what the platform may have taken is sent once more, and says so. Never throws.
 */
export async function sendInParts<Part>(message: PartedMessage<Part>): Promise<Sent> {
  if (message.parts.length === 0) return { status: "sent" };
  try {
    return await sendRest(message, await progressOf(message));
  } catch (error) {
    return { status: "retry", reason: error instanceof Error ? error.message : String(error) };
  }
}

/** The first try of a short message reads and writes nothing. */
async function progressOf<Part>(message: PartedMessage<Part>): Promise<Progress> {
  const { values, space, key, parts, earlier, again } = message;
  if (parts.length === 1 && earlier === undefined) return { next: 0, unsure: 0 };
  const kept = await values.get<Progress | number>(space, key);
  const { next, unsure } =
    typeof kept === "number" ? { next: kept, unsure: 0 } : (kept ?? { next: 0, unsure: 0 });
  if (again === undefined || earlier !== "cut") return { next, unsure };
  const progress = { next, unsure: unsure + 1 };
  await keep(message, progress);
  return progress;
}

async function sendRest<Part>(message: PartedMessage<Part>, progress: Progress): Promise<Sent> {
  const { values, space, key, parts, earlier } = message;
  let last: Sent = { status: "sent" };
  for (const [i, part] of parts.entries()) {
    if (i < progress.next) continue;
    const unsure = i === progress.next ? progress.unsure : 0;
    last = await sendOne(message, part, i, unsure);
    if (last.status === "retry") return last;
    if (last.status === "refused") break;
    if (i < parts.length - 1) await keep(message, { next: i + 1, unsure: 0 });
  }
  if (parts.length > 1 || earlier !== undefined) await values.remove(space, key).catch(() => false);
  return last;
}

async function sendOne<Part>(
  message: PartedMessage<Part>,
  part: Part,
  index: number,
  unsure: number,
): Promise<Sent> {
  const { send, again, instead } = message;
  if (unsure >= mostUnsure) return { status: "refused", reason: givenUp };
  const sent = await send(unsure > 0 && again ? again(part) : part, index);
  if (sent.status === "refused") {
    const words = instead?.(part, sent.reason);
    return words === undefined ? sent : send(words, index);
  }
  if (sent.status !== "retry" || sent.unsure !== true || again === undefined) return sent;
  await keep(message, { next: index, unsure: unsure + 1 });
  return unsure + 1 < mostUnsure ? sent : { status: "refused", reason: givenUp };
}

async function keep<Part>({ values, space, key }: PartedMessage<Part>, progress: Progress): Promise<void> {
  await values.put(space, key, progress, { forMs: dayMs });
}
