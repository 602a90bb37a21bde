import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { assert, asyncProperty, integer, oneof, uint8Array } from "fast-check";
import { expect, test } from "vitest";
import { tempDir } from "../../test/helpers/temp-dir.ts";
import { isSealed, seal, unseal, type Unsealed } from "./sealed-file.ts";

const { signal } = new AbortController();
const passphrase = "a passphrase of tests";

/** Returns the outcome, and what was written; nothing may be there unless it was opened. */
async function openedFrom(bytes: Uint8Array, dir: string, given = passphrase): Promise<[Unsealed, Buffer?]> {
  const [file, to] = [path.join(dir, "given"), path.join(dir, "plain")];
  writeFileSync(file, bytes);
  rmSync(to, { force: true });
  const outcome = await unseal(file, to, given);
  expect(existsSync(to)).toBe(outcome === "opened");
  return outcome === "opened" ? [outcome, readFileSync(to)] : [outcome];
}

async function sealedOf(content: Uint8Array, dir: string): Promise<Buffer> {
  const [from, to] = [path.join(dir, "content"), path.join(dir, "sealed")];
  writeFileSync(from, content);
  rmSync(to, { force: true });
  await seal(from, to, passphrase, signal);
  expect(statSync(to).mode & 0o777).toBe(0o600);
  expect(await isSealed(to)).toBe(true);
  return readFileSync(to);
}

test("OPS-03: a sealed file opens to the same bytes, and none is sealed alike twice", async () => {
  using home = tempDir();
  const contents = oneof(uint8Array({ maxLength: 200 }), uint8Array({ minLength: 1, maxLength: 1 }));
  await assert(
    asyncProperty(contents, async (content) => {
      const sealed = await sealedOf(content, home.dir);
      expect(await openedFrom(sealed, home.dir)).toEqual(["opened", Buffer.from(content)]);
      expect(await sealedOf(content, home.dir)).not.toEqual(sealed);
    }),
    { numRuns: 5 },
  );
  const large = Buffer.alloc(300_000, "0123456789");
  expect(await openedFrom(await sealedOf(large, home.dir), home.dir)).toEqual(["opened", large]);
});

test("OPS-03: a sealed file that was cut, or has one bit flipped anywhere, gives nothing", async () => {
  using home = tempDir();
  const sealed = await sealedOf(Buffer.from("what nobody else may read".repeat(20)), home.dir);
  // The first bytes say that it is a sealed file at all.
  const beyond = integer({ min: 16, max: sealed.length - 1 });
  await assert(
    asyncProperty(beyond, integer({ min: 0, max: 7 }), async (at, bit) => {
      const [cut] = await openedFrom(sealed.subarray(0, at), home.dir);
      expect(cut).toBe("cut");
      const flipped = Buffer.from(sealed);
      flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << bit), at);
      const [changed] = await openedFrom(flipped, home.dir);
      expect(changed).toBe(at < 72 ? "other passphrase" : "changed");
    }),
    { numRuns: 12 },
  );
  expect(await openedFrom(Buffer.concat([sealed, sealed]), home.dir)).toEqual(["changed"]);
  expect(await openedFrom(sealed, home.dir, `${passphrase}.`)).toEqual(["other passphrase"]);
});
