import { expect, test } from "vitest";
import { textParts, type MediaRef, type Part } from "../index.ts";
import { outgoingPieces, type PieceOptions } from "./index.ts";

const picture: MediaRef = { id: "sha", mime: "image/png", bytes: 3, name: "a.png" };
const bytes = new Uint8Array([1, 2, 3]);
const file: Part = { type: "media", media: picture };

const twice = ({ text }: { readonly text: string }): number => text.length * 2;
const asWords = ({ name }: MediaRef, given: Uint8Array): string =>
  `(${name}: ${given.length} bytes are too many)`;

/** Each message as people see it. */
async function shown(parts: readonly Part[], options: Partial<PieceOptions> = {}): Promise<string[]> {
  const pieces = await outgoingPieces(parts, { max: 100, open: async () => bytes, ...options });
  return pieces.map((piece) => ("text" in piece ? piece.text.text : `file ${piece.media.name}`));
}

test("CC-12: TG-16: an answer goes as words and files in their order, and neighbouring words are one text", async () => {
  const parts = [...textParts("**one**"), ...textParts("two"), file, ...textParts("three"), file];
  expect(await shown(parts)).toEqual(["one\ntwo", "file a.png", "three", "file a.png"]);
  expect(await shown([])).toEqual([]);
  const [first] = await outgoingPieces(parts, { max: 100, open: async () => bytes });
  expect(first).toEqual({ text: { text: "one\ntwo", spans: [{ kind: "bold", from: 0, to: 3 }] } });
});

test("CC-12: words longer than the bound go in several messages, by the platform's own measure", async () => {
  expect(await shown(textParts("one two three four"), { max: 9 })).toEqual(["one two", "three", "four"]);
  expect(await shown(textParts("one two"), { max: 9, size: twice })).toEqual(["one", "two"]);
});

test("TG-16: a file that is gone, cannot be read or is too large for the platform is an honest line between the words", async () => {
  const parts = [...textParts("before"), file, ...textParts("after")];
  const line = "before\n[a.png, image/png, 3 bytes]\nafter";
  expect(await shown(parts, { open: async () => undefined })).toEqual([line]);
  expect(await shown(parts, { open: () => Promise.reject(new Error("disk")) })).toEqual([line]);
  expect(await shown(parts, { asWords })).toEqual(["before\n(a.png: 3 bytes are too many)\nafter"]);
  expect(await shown(parts, { asWords: () => undefined })).toEqual(["before", "file a.png", "after"]);
});
