import { existsSync, readdirSync, statSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { directMessage, textParts, type ChatMessage, type MediaRef } from "@gantry/sdk";
import { mediaContract } from "@gantry/sdk/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createStore, type OpenedStore } from "./store.ts";

let home: string;
let opened: OpenedStore;
const at = (): string => join(home, "state", "gantry.db");
const folder = (): string => join(home, "state", "media");
const files = (): readonly string[] => (existsSync(folder()) ? readdirSync(folder()) : []);

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "gantry-media-"));
  opened = createStore(at());
});
afterEach(async () => {
  vi.useRealTimers();
  await opened.close();
  await rm(home, { recursive: true, force: true });
});

describe("the contract of the slot Media", () => {
  const cases = mediaContract({ open: async () => ({ media: opened.media, close: async () => {} }) });
  test.for([...cases])("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

const bytes = (text: string): Buffer => Buffer.from(text);
const saying = (...media: readonly MediaRef[]): ChatMessage => ({
  role: "user",
  parts: [...textParts("look"), ...media.map((ref) => ({ type: "media" as const, media: ref }))],
});
const put = (text: string): Promise<MediaRef> => opened.media.put(bytes(text), { mime: "image/png" });
const later = async (ms: number): Promise<void> => {
  vi.useFakeTimers({ now: Date.now() + ms, toFake: ["Date"] });
  await put(`later ${ms}`);
};
const DAY = 86_400_000;

test("SDK-07: the same bytes are one file, private, and nothing of them stands in the database", async () => {
  const large = Buffer.alloc(2_000_000, "a picture of a cat; ");
  const [ref] = await Promise.all(
    ["cli:1", "t:2", "t:3"].map((user) => opened.media.put(large, { mime: "image/png", user })),
  );
  expect(files()).toEqual([ref!.id]);
  const { mode, size } = statSync(join(folder(), ref!.id));
  expect([mode & 0o777, size, statSync(folder()).mode & 0o777]).toEqual([0o600, 2_000_000, 0o700]);
  await opened.store.sessions.append("s", [saying(ref!)]);
  await opened.close();
  expect((await readFile(at())).includes("picture of a cat")).toBe(false);
  opened = createStore(at());
  expect(Buffer.from((await opened.media.open(ref!.id))!).equals(large)).toBe(true);
});

test("SDK-07: media go with the last session that names them, and not before", async () => {
  const [both, one] = [await put("both"), await put("one")];
  const { sessions } = opened.store;
  await sessions.append("a", [saying(both, one), saying(both)]);
  await sessions.append("b", [saying(both)]);
  await later(40 * DAY);
  expect(files()).toHaveLength(3);
  await sessions.remove("a");
  expect([await opened.media.open(one.id), await opened.media.open(both.id)]).toEqual([
    undefined,
    bytes("both"),
  ]);
  await sessions.remove("b");
  expect(files()).toHaveLength(1);
});

test("SDK-07: media that a waiting message brings stay until it is answered; what nothing names goes after a day", async () => {
  const [asked, quoted, lost] = [await put("asked"), await put("quoted"), await put("lost")];
  const message = directMessage({ channel: "t", id: "1", from: "a", text: "" });
  const parts = saying(asked).parts;
  await opened.store.lanes.accept([{ ...message, parts, quoted: saying(quoted).parts }]);
  await later(DAY / 2);
  expect(await opened.media.open(lost.id)).toBeDefined();
  await later(2 * DAY);
  expect(await opened.media.open(lost.id)).toBeUndefined();
  expect(await opened.media.open(quoted.id)).toBeDefined();
  const claim = (await opened.store.lanes.claim(1, 1_000))[0]!;
  await opened.store.lanes.answer(claim, "a cat", "t:a", [saying(asked)]);
  await opened.store.lanes.ack(claim);
  await later(4 * DAY);
  expect(await opened.media.open(quoted.id)).toBeUndefined();
  expect(await opened.media.open(asked.id)).toBeDefined();
});

test("SDK-07: what is put again while it is taken away is there afterwards", async () => {
  const ref = await put("again and again");
  for (let i = 0; i < 20; i += 1) {
    await opened.store.sessions.append("s", [saying(ref)]);
    await Promise.all([opened.store.sessions.remove("s"), put("again and again")]);
    expect(await opened.media.open(ref.id)).toEqual(bytes("again and again"));
  }
});

test("SDK-07: a file that a crash left out is written when it is put again", async () => {
  const ref = await put("lost on the way");
  await rm(join(folder(), ref.id));
  expect(await opened.media.open(ref.id)).toBeUndefined();
  await put("lost on the way");
  expect(await opened.media.open(ref.id)).toEqual(bytes("lost on the way"));
});
