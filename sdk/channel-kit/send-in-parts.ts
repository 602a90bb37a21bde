import type { OutgoingMessage, Sent } from "../messages/channel.ts";
import type { Values } from "../store/store.ts";

const dayMs = 86_400_000;
/** A part that may have been taken so often is not sent again. */
const mostUnsure = 2;

const givenUp = "the platform did not say whether it took the message, nor the copy that was sent after it";

export interface PartedMessage<Part> {
  readonly values: Values;
  /** The space of `values` that keeps the progress, the channel's own: `mail.parts`. */
  readonly space: string;
  /** {@link OutgoingMessage.key}: the same for every try. */
  readonly key: string;
  /** {@link OutgoingMessage.earlier} */
  readonly earlier?: OutgoingMessage["earlier"];
  readonly parts: readonly Part[];
  send(part: Part, index: number): Promise<Sent>;
  /**
   * Returns the part as a copy of one that may have arrived, with words that say so; it is sent
   * once. Left out if the platform makes one message of two with the same key.
   */
  again?(part: Part): Part;
  /**
   * Looks for a part that may have arrived: returns what became of it, `absent` if the platform
   * does not have it, and undefined if nobody can tell.
   */
  find?(part: Part, index: number): Promise<Sent | "absent" | undefined>;
  /**
   * Returns why the platform takes nothing now, asked before a copy is sent: a copy that goes into
   * silence would be the last. Default: it takes what is sent.
   */
  away?(): Promise<string | undefined>;
  /**
   * Returns what is sent in place of a part that the platform refuses, such as a file; undefined:
   * the rest stays here too.
   */
  instead?(part: Part, reason: string): Part | undefined;
  /**
   * Returns what is sent one after another in place of a part that the platform refuses as a
   * whole, such as the files of an album; undefined for what is not made of several.
   */
  apart?(part: Part): readonly Part[] | undefined;
}

/** The progress of a message. */
interface Progress {
  /** The index of the part that is next. */
  readonly next: number;
  /** The number of times that part may have been taken. */
  readonly unsure: number;
  /** The number of its pieces that went out, if that part was refused as a whole. */
  readonly apart?: number;
}

/**
 * Sends the parts of one message in order. How far it came is kept, so that another try, also of
 * another process, sends only what is left; what the platform may have taken is sent once more, and
 * says so. Never throws.
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
  const { values, space, key, earlier, again } = message;
  if (isShort(message) && earlier === undefined) return { next: 0, unsure: 0 };
  const kept = (await values.get<Progress | number>(space, key)) ?? 0;
  const progress = typeof kept === "number" ? { next: kept, unsure: 0 } : kept;
  if (again === undefined || earlier !== "cut") return progress;
  const cut = { ...progress, unsure: progress.unsure + 1 };
  await keep(message, cut);
  return cut;
}

function isShort<Part>({ parts: [first, ...rest], apart }: PartedMessage<Part>): boolean {
  return rest.length === 0 && apart?.(first as Part) === undefined;
}

async function sendRest<Part>(message: PartedMessage<Part>, progress: Progress): Promise<Sent> {
  const { values, space, key, parts, earlier } = message;
  let last: Sent = { status: "sent" };
  for (const [i, part] of parts.entries()) {
    if (i < progress.next) continue;
    const from = i === progress.next ? progress : { next: i, unsure: 0 };
    last =
      from.apart === undefined
        ? await sendOne(message, part, from)
        : await sendApart(message, message.apart?.(part) ?? [], from);
    if (last.status === "retry") return last;
    if (last.status === "refused") break;
    if (i < parts.length - 1) await keep(message, { next: i + 1, unsure: 0 });
  }
  if (!isShort(message) || earlier !== undefined) await values.remove(space, key).catch(() => false);
  return last;
}

async function sendApart<Part>(
  message: PartedMessage<Part>,
  pieces: readonly Part[],
  from: Progress,
): Promise<Sent> {
  const { next, unsure, apart: done = 0 } = from;
  let last: Sent = { status: "sent" };
  for (const [i, piece] of pieces.entries()) {
    if (i < done) continue;
    last = await sendOne(message, piece, { next, unsure: i === done ? unsure : 0, apart: i });
    if (last.status !== "sent") return last;
    await keep(message, { next, unsure: 0, apart: i + 1 });
  }
  return last;
}

async function sendOne<Part>(message: PartedMessage<Part>, part: Part, at: Progress): Promise<Sent> {
  const { send, again, find } = message;
  const { next, apart = 0 } = at;
  const found = at.unsure > 0 ? await find?.(part, next + apart) : undefined;
  if (typeof found === "object") return found;
  const unsure = found === "absent" ? 0 : at.unsure;
  if (unsure >= mostUnsure) return { status: "refused", reason: givenUp };
  const away = unsure > 0 ? await message.away?.() : undefined;
  if (away !== undefined) return { status: "retry", reason: away, scope: "channel" };
  const sent = await send(unsure > 0 && again ? again(part) : part, next + apart);
  if (sent.status === "refused") return sendInstead(message, part, at, sent);
  if (sent.status !== "retry" || sent.unsure !== true || again === undefined) return sent;
  await keep(message, { ...at, unsure: unsure + 1 });
  return find || unsure + 1 < mostUnsure ? sent : { status: "refused", reason: givenUp };
}

/** Sends what stands in for a part that the platform refused. */
async function sendInstead<Part>(
  message: PartedMessage<Part>,
  part: Part,
  at: Progress,
  refused: Extract<Sent, { readonly status: "refused" }>,
): Promise<Sent> {
  const pieces = at.apart === undefined ? message.apart?.(part) : undefined;
  if (pieces !== undefined) {
    const from = { ...at, apart: 0 };
    await keep(message, from);
    return sendApart(message, pieces, from);
  }
  const words = message.instead?.(part, refused.reason);
  return words === undefined ? refused : message.send(words, at.next + (at.apart ?? 0));
}

async function keep<Part>({ values, space, key }: PartedMessage<Part>, progress: Progress): Promise<void> {
  await values.put(space, key, progress, { forMs: dayMs });
}
