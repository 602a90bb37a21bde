import type { MediaRef, Part } from "../messages/content.ts";
import { counted } from "../turns/counted.ts";
import { GantryError } from "../contract/errors.ts";
import { mediaBounds, type MediaFacts } from "../messages/media.ts";
import { plainFileName, plainMime } from "../messages/plain-facts.ts";
import type { Transcriber } from "../messages/speech.ts";

const MiB = 1024 * 1024;
/** The most attachments of one message. */
const maxCount = 10;

/** The source of these parts, for the model. */
const attached = "an attached file";

/** The kind of an attachment that a person spoke instead of writing. */
export const voiceMessage = "voice message";

/** Something that came with a message. */
export interface Attachment {
  /** `photo`, `voice message`, `file`: for people. */
  readonly kind: string;
  readonly name?: string;
  readonly mime?: string;
  /** As the platform states it, before anything is loaded. */
  readonly bytes?: number;
  /** The most bytes that the platform hands out. */
  readonly maxBytes?: number;
  /** Returns its bytes. Throws if it is larger than `maxBytes`. */
  load(maxBytes: number, signal: AbortSignal): Promise<Uint8Array>;
}

/** Keeps bytes beside the conversation, as {@link Media.put} does. */
export type KeepBytes = (bytes: Uint8Array, facts: MediaFacts) => Promise<MediaRef>;

/**
 * Returns what came with a message, as parts: kept if there is a place for bytes and they are
 * within bounds, else one honest line each, all of it material. For a voice message the words are
 * returned, if something can tell them: they are the person's own. Bytes never enter the text, and
 * an attachment that fails keeps no other back.
 */
export async function takeAttachments(
  attachments: readonly Attachment[],
  keep: KeepBytes | undefined,
  signal: AbortSignal,
  transcriber?: Transcriber,
): Promise<readonly Part[]> {
  const parts: Part[] = [];
  for (const attachment of attachments.slice(0, maxCount))
    parts.push(...(await take(attachment, keep, signal, transcriber)));
  const more = attachments.length - maxCount;
  if (more > 0) parts.push(line(`[${more} more attachments: not read, at most ${maxCount} are]`));
  return parts;
}

async function take(
  attachment: Attachment,
  keep: KeepBytes | undefined,
  signal: AbortSignal,
  transcriber: Transcriber | undefined,
): Promise<readonly Part[]> {
  const { bytes = 0, maxBytes = Infinity } = attachment;
  const mime = plainMime(attachment.mime ?? "");
  const max = Math.min(mime.startsWith("image/") ? mediaBounds.image : mediaBounds.file, maxBytes);
  const isSpeech = attachment.kind === voiceMessage;
  const hears = isSpeech ? transcriber : undefined;
  const say = (why: string): Part => ({ ...line(describeAttachment(attachment, why)), from: attached });
  if (keep === undefined && hears === undefined) return [say("not read")];
  if (bytes > max) return [say(`not read, more than ${max / MiB} MiB`)];
  try {
    const loaded = await attachment.load(max, signal);
    const facts = { mime, ...(attachment.name !== undefined && { name: nameOf(attachment.name) }) };
    const heard = await hears?.transcribe({ bytes: loaded, ...facts }, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      return error instanceof GantryError ? error : new Error("not put into words");
    });
    if (typeof heard === "string") return [line(`[${voiceMessage}]\n${heard}`)];
    const kept: Part[] = keep ? [{ type: "media", media: await keep(loaded, facts), from: attached }] : [];
    const unheard = heard?.message ?? "not put into words, as no plugin fills the slot transcriber";
    return isSpeech ? [...kept, say(unheard)] : kept;
  } catch (error) {
    signal.throwIfAborted();
    return [say(error instanceof GantryError ? error.message : "could not be loaded")];
  }
}

/** Returns `[voice message: note.ogg, audio/ogg, 12345 bytes: not read]` */
export function describeAttachment({ kind, name, mime, bytes }: Attachment, why: string): string {
  const size = bytes === undefined ? undefined : counted(bytes, "byte");
  const named = name === undefined ? undefined : nameOf(name);
  const facts = [named, mime === undefined ? undefined : plainMime(mime), size].filter(
    (fact) => fact !== undefined,
  );
  return `[${[kind, facts.join(", ")].filter((text) => text !== "").join(": ")}: ${why}]`;
}

function nameOf(name: string): string {
  return plainFileName(name) || "unnamed";
}

function line(text: string): { readonly type: "text"; readonly text: string } {
  return { type: "text", text };
}
