import assert from "node:assert/strict";
import { mediaBounds, type Media } from "../index.ts";
import { cases } from "./say.ts";
import type { ContractCase } from "./contract-case.ts";

export interface MediaSubject {
  /** An empty place for media. */
  open(): Promise<{ readonly media: Media; close(): Promise<void> }>;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/**
 * Returns the duties of every filler of the slot Media. Register each case with any test runner:
 * `test(name, run)`.
 */
export function mediaContract(subject: MediaSubject): readonly ContractCase[] {
  const alone = (check: (media: Media) => Promise<void>) => async (): Promise<void> => {
    const { media, close } = await subject.open();
    try {
      await check(media);
    } finally {
      await close();
    }
  };
  return cases({
    "SDK-07: media are named by their SHA-256, with what is safe to print, and come back byte by byte": alone(
      async (media) => {
        const all = Uint8Array.from({ length: 70_000 }, (_, i) => i % 251);
        const facts = { mime: "Image/PNG", name: "../../etc/a\u001b[31m.png", alt: "a cat" };
        const ref = await media.put(all, facts);
        assert.match(ref.id, /^[0-9a-f]{64}$/);
        assert.deepEqual(
          { ...ref, id: "" },
          { id: "", mime: "image/png", bytes: 70_000, name: "a_31m.png", alt: "a cat" },
        );
        assert.deepEqual(Uint8Array.from((await media.open(ref.id)) ?? []), all);
        assert.equal((await media.put(all, { mime: "image/png" })).id, ref.id);
      },
    ),
    "SDK-07: a type that is none is application/octet-stream": alone(async (media) => {
      for (const mime of ["", "image", "text/html; charset=x", "a/b\n"])
        assert.equal((await media.put(bytes(mime), { mime })).mime, "application/octet-stream");
    }),
    "SDK-07: media that are not kept are undefined, whatever they are asked by": alone(async (media) => {
      for (const id of ["", "ab".repeat(32), "../gantry.db", "/etc/passwd", "AB".repeat(32)])
        assert.equal(await media.open(id), undefined);
    }),
    "SDK-07: what is too large, and what one person brings beyond their hour, is refused": alone(
      async (media) => {
        const large = new Uint8Array(mediaBounds.file + 1);
        await assert.rejects(media.put(large, { mime: "a/b" }), { code: "MEDIA_TOO_LARGE" });
        const part = large.subarray(0, mediaBounds.file);
        for (let at = 0; at < mediaBounds.perHour; at += part.length)
          await media.put(part, { mime: "a/b", user: "t:1" });
        await assert.rejects(media.put(bytes("x"), { mime: "a/b", user: "t:1" }), { code: "MEDIA_TOO_MUCH" });
        await media.put(bytes("x"), { mime: "a/b", user: "t:2" });
      },
    ),
    "SDK-07: what is put at the same time is kept once, for everybody": alone(async (media) => {
      const same = bytes("the same picture");
      const refs = await Promise.all(Array.from({ length: 20 }, () => media.put(same, { mime: "a/b" })));
      assert.equal(new Set(refs.map(({ id }) => id)).size, 1);
      assert.deepEqual(Uint8Array.from((await media.open(refs[0]!.id)) ?? []), same);
    }),
  });
}
