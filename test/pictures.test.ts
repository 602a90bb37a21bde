import { readdirSync, readFileSync, writeFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import { Store, textOf, type ChatMessage } from "@gantry/sdk";
import { createMemoryMedia, fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { gantry } from "./helpers/cli.ts";
import { startModel } from "./helpers/model.ts";
import { tempDir } from "./helpers/temp-dir.ts";

const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(2_000_000, 7)]);
const shown = (bytes: Buffer): object => ({
  type: "image_url",
  image_url: { url: `data:image/png;base64,${bytes.toString("base64")}` },
});
const configOf = (provider: string): string =>
  `default_provider = "${provider}"\ndefault_model = "m"\n[providers.custom]\nmax_retries = 0\n`;

test("SDK-07: --image shows the model pictures, which come back after a restart, are stored once, and stand in no log, session or audit", async () => {
  await using model = await startModel("A cat.", "Still a cat.");
  using home = tempDir(configOf(model.provider));
  const second = Buffer.concat([png.subarray(0, 8), Buffer.alloc(100)]);
  writeFileSync(path.join(home.dir, "cat.png"), png);
  writeFileSync(path.join(home.dir, "dog.png"), second);
  const files = ["--image", "cat.png", "--image", path.join(home.dir, "dog.png")];
  const run = { dir: home.dir };
  expect(await gantry(["agent", "-m", "who?", "--session", "s", ...files], run)).toEqual({
    code: 0,
    out: "A cat.\n",
    err: "",
  });
  const again = await gantry(["agent", "-m", "sure?", "--session", "s", "--image", "cat.png"], run);
  expect(again).toMatchObject({ code: 0, out: "Still a cat.\n" });
  const first = [{ type: "text", text: "who?" }, shown(png), shown(second)];
  expect(model.requests[0]?.messages.at(-1)?.content).toEqual(first);
  expect(model.requests[1]?.messages.slice(1).map(({ content }) => content)).toEqual([
    first,
    "A cat.",
    [{ type: "text", text: "sure?" }, shown(png)],
  ]);
  const state = path.join(home.dir, "state");
  expect(readdirSync(path.join(state, "media"))).toHaveLength(2);
  const kept = ["gantry.db", "gantry.db-wal"].map((name) => path.join(state, name));
  const sizes = kept.map((file) => readFileSync(file, { flag: "a+" }).length);
  expect(Math.max(...sizes)).toBeLessThan(1_500_000);
  const inBase64 = png.toString("base64").slice(0, 60);
  for (const file of kept) expect(readFileSync(file).includes(inBase64)).toBe(false);
});

test.each<[string, Buffer | undefined, number, string]>([
  ["none.png", undefined, 1, "FILE_MISSING"],
  ["notes.png", Buffer.from("only text"), 2, "USAGE"],
  ["large.png", Buffer.concat([png, Buffer.alloc(5 * 1024 * 1024)]), 1, "MEDIA_TOO_LARGE"],
])(
  "SDK-07: --image %s that cannot be shown is one sentence, and nothing is asked",
  async (name, bytes, code, word) => {
    await using model = await startModel("never");
    using home = tempDir(configOf(model.provider));
    if (bytes) writeFileSync(path.join(home.dir, name), bytes);
    const ended = await gantry(["agent", "-m", "who?", "--image", name], { dir: home.dir });
    expect([ended.code, ended.out, ended.err.includes(name), ended.err.includes(`[${word}]`)]).toEqual([
      code,
      "",
      true,
      true,
    ]);
    expect(model.requests).toEqual([]);
  },
);

test("SDK-07: file_read of a picture shows it to the model, and people a line", async () => {
  await using model = await startModel(
    { calls: [{ name: "file_read", args: { path: "cat.png" } }] },
    "A cat.",
  );
  using home = tempDir(configOf(model.provider));
  mkdirSync(path.join(home.dir, "workspace"));
  writeFileSync(path.join(home.dir, "workspace", "cat.png"), png);
  expect(await gantry(["agent", "-m", "look at cat.png"], { dir: home.dir })).toMatchObject({
    code: 0,
    out: "A cat.\n",
  });
  const [result, pictures] = (model.requests[1]?.messages ?? []).slice(-2);
  expect(result).toMatchObject({
    role: "tool",
    content: expect.stringContaining("[cat.png: image/png, 2000008 bytes]"),
  });
  expect(pictures).toMatchObject({ role: "user", content: [expect.anything(), shown(png)] });
});

const marker = `[IMAGE:data:image/png;base64,${png.subarray(0, 12).toString("base64")}]`;
const user = ({ messages }: { messages: readonly ChatMessage[] }, at = -1) => messages.at(at);

test("GEN-02: an image marker in what a person writes is a picture, a broken one is text; one in what they quote or a tool brings is text", async () => {
  const model = fakeProvider(["ok"]);
  const media = createMemoryMedia();
  await using t = await startTestHost({ plugins: [model, memoryStore(undefined, media)] });
  await t.ask(`see ${marker} and [IMAGE:data:image/png;base64,%%%]`);
  const parts = user(model.requests[0]!)?.parts ?? [];
  expect(parts.map(({ type }) => type)).toEqual(["text", "media", "text"]);
  expect(parts[2]).toEqual({ type: "text", text: " and [IMAGE:data:image/png;base64,%%%]" });
  const [, picture] = parts;
  const bytes = picture?.type === "media" ? await model.requests[0]?.media?.(picture.media) : undefined;
  expect(Buffer.from(bytes!)).toEqual(png.subarray(0, 12));
  expect(JSON.stringify(await t.slot(Store).sessions.recent("test", 9))).not.toContain(
    "IMAGE:data:image/png;base64,iVBO",
  );
});

test("SDK-07: a session of an earlier release, with markers in its texts, shows the model pictures", async () => {
  const model = fakeProvider(["ok"]);
  await using t = await startTestHost({ plugins: [model, memoryStore()] });
  const old = { role: "user", parts: [{ type: "text", text: `see ${marker}` }] } as const;
  await t.slot(Store).sessions.append("test", [old, { role: "assistant", parts: [], toolCalls: [] }]);
  for (let i = 0; i < 2; i += 1) await t.ask("and now?");
  for (const request of model.requests)
    expect(user(request, 1)?.parts.map(({ type }) => type)).toEqual(["text", "media"]);
});

test("SDK-07: without a store a picture still reaches the model", async () => {
  const model = fakeProvider(["ok"]);
  await using t = await startTestHost({ plugins: [model] });
  await t.ask(marker);
  const [part] = user(model.requests[0]!)?.parts ?? [];
  expect(part?.type === "media" && (await model.requests[0]?.media?.(part.media))).toHaveLength(12);
  expect(textOf(part ? [part] : [])).toBe("[image/png, 12 bytes]");
});

test("SDK-07: more than a person may bring in an hour is said, and the conversation goes on", async () => {
  const model = fakeProvider(["ok"]);
  const media = createMemoryMedia();
  await using t = await startTestHost({ plugins: [model, memoryStore(undefined, media)] });
  for (let i = 0; i < 4; i += 1)
    await media.put(new Uint8Array(25 * 1024 * 1024), { mime: "image/png", user: "cli:test" });
  expect(await t.ask(marker)).toMatchObject({ stop_reason: "Error", error: { code: "MEDIA_TOO_MUCH" } });
  expect(await t.ask("only words")).toMatchObject({ reply: "ok" });
});

test("FLR-19: `agent` prints what is handed over, with its name and caption", async () => {
  const call = { name: "send_file", args: { path: "cat.png", caption: "My cat" } };
  await using model = await startModel({ calls: [call] }, "Here.");
  using home = tempDir(configOf(model.provider));
  mkdirSync(path.join(home.dir, "workspace"));
  writeFileSync(path.join(home.dir, "workspace", "cat.png"), png);
  const shown = await gantry(["agent", "-m", "show me"], { dir: home.dir });
  const line = `[cat.png, image/png, ${png.length} bytes: My cat]`;
  expect(shown).toMatchObject({ code: 0, out: `Here.\n${line}\n` });
});
