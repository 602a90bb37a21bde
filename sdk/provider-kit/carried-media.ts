import { describeMedia, type MediaRef, type Part } from "../messages/content.ts";
import { mediaBounds } from "../messages/media.ts";
import type { ChatMessage, ChatRequest } from "../models/provider.ts";

/** A piece of a message as a provider sends it: text, or bytes in base64. */
export type Piece =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "media"; readonly mime: string; readonly data: string; readonly name: string };

const notTaken = "this model does not take it";

/** The bytes of a request's media, as far as the provider takes them. */
export class CarriedMedia {
  readonly #data: ReadonlyMap<string, string>;
  readonly #missing: ReadonlyMap<string, string>;

  private constructor(data: ReadonlyMap<string, string>, missing: ReadonlyMap<string, string>) {
    this.#data = data;
    this.#missing = missing;
  }

  /** Reads the bytes that the messages name, of the types in `takes` (as in `image/*`). */
  static async of({ messages, media }: ChatRequest, takes: readonly string[]): Promise<CarriedMedia> {
    const data = new Map<string, string>();
    const missing = new Map<string, string>();
    for (const ref of refsIn(messages)) {
      if (data.has(ref.id) || missing.has(ref.id)) continue;
      const why = whyNot(ref, takes);
      const bytes = why === undefined ? await media?.(ref) : undefined;
      if (bytes) data.set(ref.id, Buffer.from(bytes).toString("base64"));
      else missing.set(ref.id, why ?? "it is no longer kept");
    }
    return new CarriedMedia(data, missing);
  }

  /** Returns the same for a model that turned out to take none of it. */
  leftOut(): CarriedMedia {
    const all = [...this.#data.keys()].map((id): [string, string] => [id, notTaken]);
    return new CarriedMedia(new Map(), new Map([...this.#missing, ...all]));
  }

  /** True if any bytes go along. */
  get any(): boolean {
    return this.#data.size > 0;
  }

  /**
   * Returns the parts in order, neighbouring texts as one. What is not carried is told in a line;
   * never empty.
   */
  pieces(parts: readonly Part[]): readonly Piece[] {
    const pieces: Piece[] = [];
    let lines: string[] = [];
    const flush = (): void => {
      const text = lines.filter((line) => line !== "").join("\n");
      if (text !== "") pieces.push({ type: "text", text });
      lines = [];
    };
    for (const part of parts) {
      if (part.type === "text") lines.push(part.text);
      if (part.type !== "media") continue;
      const { id, mime, name = "" } = part.media;
      const data = this.#data.get(id);
      if (data === undefined) lines.push(this.#line(part.media));
      else {
        flush();
        pieces.push({ type: "media", mime, data, name });
      }
    }
    flush();
    return pieces.length > 0 ? pieces : [{ type: "text", text: "" }];
  }

  /** Returns the text of the parts, with a line for each piece of media that is not carried. */
  text(parts: readonly Part[]): string {
    return this.pieces(parts)
      .map((piece) => (piece.type === "text" ? piece.text : ""))
      .filter((text) => text !== "")
      .join("\n");
  }

  /** Returns the bytes among the parts. */
  media(parts: readonly Part[]): readonly Extract<Piece, { type: "media" }>[] {
    return this.pieces(parts).filter((piece) => piece.type === "media");
  }

  #line(ref: MediaRef): string {
    const why = this.#missing.get(ref.id);
    const line = describeMedia(ref);
    return why === undefined ? line : `${line.slice(0, -1)}; ${why}]`;
  }
}

function whyNot({ mime, bytes }: MediaRef, takes: readonly string[]): string | undefined {
  if (!takes.some((type) => type === mime || (type.endsWith("/*") && mime.startsWith(type.slice(0, -1)))))
    return notTaken;
  return bytes > mediaBounds.image ? "it is too large for a model" : undefined;
}

function refsIn(messages: readonly ChatMessage[]): readonly MediaRef[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "media" ? [part.media] : [])),
  );
}
