import { counted } from "../turns/counted.ts";

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Bytes that are kept once, by their SHA-256, beside the conversation and never in it. */
export interface MediaRef {
  /** SHA-256 of the bytes, hex. */
  readonly id: string;
  /** `image/png`. */
  readonly mime: string;
  readonly bytes: number;
  /** A file name, without a path. */
  readonly name?: string;
  /** A description of the picture in words. */
  readonly alt?: string;
}

/** A piece of a message. More kinds may come: a reader ignores what it does not know. */
export type Part =
  | {
      readonly type: "text";
      readonly text: string;
      /** The source of a text that is nobody's own words (`tool shell`): material for the model. */
      readonly from?: string;
      /**
       * The host's own: says in a group whose words come next, and is sent with a mark that nobody
       * there can write.
       */
      readonly speaker?: true;
      /**
       * On its way out: a person decides upon it, so every character of it is shown as it stands.
       * It is not Markdown.
       */
      readonly verbatim?: true;
    }
  | {
      readonly type: "media";
      readonly media: MediaRef;
      /** As of a text. What it is called and shows is marked. */
      readonly from?: string;
      /**
       * For a part of a tool's result: it goes to the person with the answer, `alt` as its caption.
       * The model is told of it by a line.
       */
      readonly forPerson?: true;
    };

/** Returns the parts of a message that is text alone. */
export function textParts(text: string): readonly Part[] {
  return [{ type: "text", text }];
}

/** Returns the same for a text that is shown character by character. */
export function verbatimParts(text: string): readonly Part[] {
  return [{ type: "text", text, verbatim: true }];
}

/** Returns true if some of it must be shown character by character. */
export function isVerbatim(parts: readonly Part[]): boolean {
  return parts.some((part) => part.type === "text" && part.verbatim === true);
}

/** Returns the files that the parts hand to the person, in order. */
export function filesForPerson(parts: readonly Part[]): readonly MediaRef[] {
  return parts.flatMap((part) => (part.type === "media" && part.forPerson === true ? [part.media] : []));
}

/**
 * Returns the text of the parts, a line for each piece of media, for readers that take text alone.
 */
export function textOf(parts: readonly Part[]): string {
  return parts
    .map((part) => {
      if (part.type === "text") return part.text;
      return part.type === "media" ? describeMedia(part.media) : "";
    })
    .filter((text) => text !== "")
    .join("\n");
}

/** Returns one honest line for a reader that cannot take the bytes. */
export function describeMedia({ mime, bytes, name, alt }: MediaRef): string {
  const named = name === undefined ? mime : `${name}, ${mime}`;
  return `[${named}, ${counted(bytes, "byte")}${alt === undefined ? "" : `: ${alt}`}]`;
}
