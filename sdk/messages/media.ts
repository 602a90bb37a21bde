import { errors } from "../contract/codes.ts";
import type { MediaRef, Part } from "./content.ts";
import { plainFileName, plainMime } from "./plain-facts.ts";
import { one } from "../contract/slot.ts";
import { having } from "../contract/shape.ts";

const mebibyte = 1024 * 1024;

/**
 * In bytes: a picture for the model, any one piece, and what one person may bring within an hour;
 * `perAnswer` is how many files one answer hands to its person.
 */
export const mediaBounds = Object.freeze({
  image: 5 * mebibyte,
  file: 25 * mebibyte,
  perHour: 100 * mebibyte,
  perAnswer: 10,
});

export interface MediaFacts {
  /** `image/png` */
  readonly mime: string;
  readonly name?: string;
  readonly alt?: string;
  /** `<channel>:<id>` of whoever brings it: {@link mediaBounds} are for each person. */
  readonly user?: string;
}

/**
 * Bytes of pictures and files, kept once by their SHA-256. What is put is kept at least a day, and
 * as long as a session or a message that waits names it; it goes with the last of them.
 */
export interface Media {
  /** Keeps the bytes, on disk when it resolves. Throws `MEDIA_TOO_LARGE` and `MEDIA_TOO_MUCH`. */
  put(bytes: Uint8Array, facts: MediaFacts): Promise<MediaRef>;
  /** Returns the bytes, or undefined if they are not kept, or no longer. */
  open(id: string): Promise<Uint8Array | undefined>;
}
export const Media = one<Media>("media", having("put", "open"));

/**
 * Returns what is written down of these bytes, its name and type safe to print; throws
 * `MEDIA_TOO_LARGE`.
 */
export function mediaRef(id: string, bytes: Uint8Array, facts: MediaFacts): MediaRef {
  const name = facts.name === undefined ? "" : plainFileName(facts.name);
  if (bytes.length > mediaBounds.file)
    throw errors.MEDIA_TOO_LARGE(name || "The file", bytes.length, mediaBounds.file);
  return {
    id,
    mime: plainMime(facts.mime),
    bytes: bytes.length,
    ...(name && { name }),
    ...(facts.alt && { alt: facts.alt }),
  };
}

/** Returns the ids of all media that messages name, each once. */
export function mediaIn(messages: readonly { readonly parts: readonly Part[] }[]): readonly string[] {
  const ids = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "media" ? [part.media.id] : [])),
  );
  return [...new Set(ids)];
}

const signatures: readonly (readonly [mime: string, at: number, bytes: string])[] = [
  ["image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/gif", 0, "GIF8"],
  ["image/webp", 8, "WEBP"],
];

/** Returns a picture's type by its first bytes; undefined for all but png, jpeg, gif and webp. */
export function imageType(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 16));
  return signatures.find(([, at, sign]) => head.startsWith(sign, at))?.[0];
}
