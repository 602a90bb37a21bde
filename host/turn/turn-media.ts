import { createHash } from "node:crypto";
import { Media, type MediaRef, type Part } from "@gantry/sdk";
import { mediaRef, splitImages, type MediaFacts } from "@gantry/sdk/fill";
import type { ChatMessage } from "@gantry/sdk";
import type { Registry } from "../plugins/registry.ts";

/** The bytes that are held if no plugin keeps media: enough for the turn that brought them. */
const heldBytes = 64 * 1024 * 1024;

/** The pictures of turns: in the slot Media, or in memory for a while where nothing fills it. */
export class TurnMedia {
  readonly #registry: Registry;
  readonly #held = new Map<string, Uint8Array>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Throws `MEDIA_TOO_LARGE`, `MEDIA_TOO_MUCH`. */
  async put(bytes: Uint8Array, facts: MediaFacts): Promise<MediaRef> {
    const kept = this.#registry.get(Media);
    if (kept) return kept.put(bytes, facts);
    const ref = mediaRef(createHash("sha256").update(bytes).digest("hex"), bytes, facts);
    this.#held.set(ref.id, bytes);
    let sum = [...this.#held.values()].reduce((all, { length }) => all + length, 0);
    for (const [id, { length }] of this.#held) {
      if (sum <= heldBytes || id === ref.id) break;
      this.#held.delete(id);
      sum -= length;
    }
    return ref;
  }

  async open({ id }: MediaRef): Promise<Uint8Array | undefined> {
    return this.#held.get(id) ?? this.#registry.get(Media)?.open(id);
  }

  /** Returns what a person wrote, its `[IMAGE:data:…]` markers read as pictures. */
  async read(parts: readonly Part[], user?: string): Promise<readonly Part[]> {
    const read: Part[] = [];
    for (const part of parts) {
      if (part.type !== "text" || !part.text.includes("[IMAGE:") || part.from !== undefined) read.push(part);
      else for (const piece of splitImages(part.text)) read.push(await this.#asPart(piece, user));
    }
    return read;
  }

  /** Sessions of an earlier release hold their pictures as markers. */
  async readHistory(history: readonly ChatMessage[]): Promise<readonly ChatMessage[]> {
    const read = history.map(async (message) =>
      message.role === "user" ? { ...message, parts: await this.read(message.parts) } : message,
    );
    return Promise.all(read);
  }

  async #asPart(piece: ReturnType<typeof splitImages>[number], user?: string): Promise<Part> {
    if (piece.type === "text") return piece;
    const { data, mime } = piece;
    const facts = user === undefined ? { mime } : { mime, user };
    return { type: "media", media: await this.put(Buffer.from(data, "base64"), facts) };
  }
}
