import type { MediaRef, Part } from "../content.ts";

const MiB = 1024 * 1024;
/** Bounds of one message: an image for the model, any other file, and how many. */
const maxImageBytes = 5 * MiB;
const maxFileBytes = 20 * MiB;
const maxCount = 10;
const maxName = 120;

/** Something that came with a message. */
export interface Attachment {
  /** `photo`, `voice message`, `file`: for people. */
  readonly kind: string;
  readonly name?: string;
  readonly mime?: string;
  /** As the platform states it, before anything is loaded. */
  readonly bytes?: number;
  /** Loads it; throws where it is larger than `maxBytes`. */
  load(maxBytes: number, signal: AbortSignal): Promise<Uint8Array>;
}

/** Keeps bytes beside the conversation. */
export type KeepBytes = (
  bytes: Uint8Array,
  about: { readonly mime: string; readonly name?: string },
) => Promise<MediaRef>;

/**
 * What came with a message, as parts: kept if there is a place for bytes and they are within bounds, else one honest line
 * each. Bytes never enter the text, and one that fails keeps nothing else back.
 */
export async function takeAttachments(
  attachments: readonly Attachment[],
  keep: KeepBytes | undefined,
  signal: AbortSignal,
): Promise<readonly Part[]> {
  const parts: Part[] = [];
  for (const attachment of attachments.slice(0, maxCount)) parts.push(await take(attachment, keep, signal));
  const more = attachments.length - maxCount;
  if (more > 0) parts.push(line(`[${more} more attachments: not read, at most ${maxCount} are]`));
  return parts;
}

async function take(attachment: Attachment, keep: KeepBytes | undefined, signal: AbortSignal): Promise<Part> {
  const { mime = "application/octet-stream", bytes = 0 } = attachment;
  const max = mime.startsWith("image/") ? maxImageBytes : maxFileBytes;
  if (keep === undefined) return line(describeAttachment(attachment, "not read"));
  if (bytes > max) return line(describeAttachment(attachment, `not read, more than ${max / MiB} MiB`));
  try {
    const loaded = await attachment.load(max, signal);
    const name = attachment.name === undefined ? {} : { name: safeName(attachment.name) };
    return { type: "media", media: await keep(loaded, { mime, ...name }) };
  } catch {
    signal.throwIfAborted();
    return line(describeAttachment(attachment, "could not be loaded"));
  }
}

/** `[voice message: note.ogg, audio/ogg, 12345 bytes: not read]` */
export function describeAttachment({ kind, name, mime, bytes }: Attachment, why: string): string {
  const size = bytes === undefined ? undefined : `${bytes} bytes`;
  const facts = [name === undefined ? undefined : safeName(name), mime, size].filter(
    (fact) => fact !== undefined,
  );
  return `[${[kind, facts.join(", ")].filter((text) => text !== "").join(": ")}: ${why}]`;
}

/** A name as one short word of a line: no path, no control signs, no bracket that could end the line. */
function safeName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? "";
  return last.replace(/[\p{C}[\]]+/gu, "_").slice(0, maxName) || "unnamed";
}

function line(text: string): Part {
  return { type: "text", text };
}
