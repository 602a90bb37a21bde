import type { Part } from "../index.ts";

/**
 * Parts that may stand in any message beside text: a picture whose bytes are kept nowhere, and a
 * piece of a later release.
 */
export const strangeParts: readonly Part[] = Object.freeze([
  { type: "media", media: { id: "0".repeat(64), mime: "image/png", bytes: 4_096, name: "a.png", alt: "a" } },
  { type: "of another release", more: [] } as unknown as Part,
]);
