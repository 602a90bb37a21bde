import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Media, Store, textOf, type Part, type TurnEvent } from "@gantry/sdk";
import {
  createMemoryMedia,
  createMemoryStore,
  fakeChannel,
  fakeProvider,
  memoryStore,
  startTestHost,
  type FakeScript,
  type TestHost,
} from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import guardFlow from "../guard-flow/index.ts";
import guardPaths from "../guard-paths/index.ts";
import redactSecretFiles from "../redact-secret-files/index.ts";
import sandbox from "../sandbox-landlock/index.ts";
import files from "./index.ts";

const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(300, 7)]);
const calls = (...paths: readonly string[]) => ({
  calls: paths.map((file) => ({ name: "send_file", args: { path: file, caption: `This is ${file}` } })),
});
const map = { mime: "image/png", bytes: png.length, name: "map.png", alt: "This is map.png" };

async function start(script: FakeScript, ...more: Parameters<typeof startTestHost>[0]["plugins"]) {
  const model = fakeProvider(script);
  const channel = fakeChannel("fake", { owners: ["alice"] });
  const store = memoryStore();
  const plugins = [files, guardFlow, guardPaths, redactSecretFiles, sandbox, channel, model, store, ...more];
  const host = await startTestHost({ plugins });
  put(host, "map.png", png);
  return { host, model, channel };
}

function put({ runtime }: TestHost, name: string, bytes: string | Uint8Array): void {
  mkdirSync(path.dirname(path.join(runtime.workspace, name)), { recursive: true });
  writeFileSync(path.join(runtime.workspace, name), bytes);
}

function mediaOf(parts: readonly Part[] = []): readonly Part[] {
  return parts.filter(({ type }) => type === "media");
}

test("FLR-19: send_file hands a picture over: event and answer name it, its bytes are kept", async () => {
  const { host, model } = await start([calls("map.png"), "Here."]);
  await using _ = host;
  const events: TurnEvent[] = [];
  const result = await host.ask("show me", { session: "s", onEvent: (event) => void events.push(event) });
  expect([result.reply, result.files]).toEqual(["Here.", [expect.objectContaining(map)]]);
  expect(events).toContainEqual(expect.objectContaining({ type: "tool_result", files: result.files }));
  expect(await host.slot(Media).open(result.files?.[0]?.id ?? "")).toEqual(png);
  const told = model.requests.at(-1)?.messages.findLast(({ role }) => role === "tool");
  expect(mediaOf(told?.parts)).toEqual([]);
  expect(textOf(told?.parts ?? [])).toContain("[map.png, image/png, 308 bytes: This is map.png]");
});

test("FLR-19: what was handed over stands in the session", async () => {
  const { host } = await start([calls("map.png"), "Here."]);
  await using _ = host;
  await host.ask("show me", { session: "s" });
  const kept = await host.slot(Store).sessions.recent("s", 1);
  expect(kept.flatMap(({ parts }) => mediaOf(parts))).toEqual([
    { type: "media", media: expect.objectContaining(map), forPerson: true, from: "tool send_file" },
  ]);
});

test("FLR-19: a channel is given the answer's text, then its files in order", async () => {
  const { host, channel } = await start([calls("map.png", "notes.txt"), "Here."]);
  await using _ = host;
  put(host, "notes.txt", "one\n");
  await host.serve();
  await channel.receive({ text: "show me" });
  await channel.sentCount(1);
  const [text, ...attached] = channel.parts[0] ?? [];
  expect([text, ...attached]).toMatchObject([
    { type: "text", text: "Here." },
    { type: "media", media: map },
    { type: "media", media: { mime: "text/plain", name: "notes.txt" } },
  ]);
});

test("FLR-19: an answer of files alone is sent without a word of its own", async () => {
  const { host, channel } = await start([calls("map.png"), ""]);
  await using _ = host;
  await host.serve();
  await channel.receive({ text: "show me" });
  await channel.sentCount(1);
  expect(channel.parts[0]).toMatchObject([{ type: "media", media: map }]);
});

test("FLR-19: files of an answer outlive the process that could not send it", async () => {
  const store = createMemoryStore();
  const media = createMemoryMedia();
  const kept = () => [files, sandbox, memoryStore(store, media)];
  const first = fakeChannel("fake");
  const model = fakeProvider([calls("map.png"), "Here."]);
  first.outcomes.push({ status: "retry", reason: "the platform is away", scope: "channel" });
  const before = await startTestHost({ plugins: [...kept(), first, model] });
  put(before, "map.png", png);
  await before.serve();
  await first.receive({ text: "show me" });
  await expect.poll(() => first.outcomes.length).toBe(0);
  await before.stop();
  const second = fakeChannel("fake");
  await using after = await startTestHost({ plugins: [...kept(), second, fakeProvider([])] });
  await after.slot(Store).lanes.wake("channel:fake");
  await after.serve();
  await second.sentCount(1);
  expect(second.parts[0]).toMatchObject([{ text: "Here." }, { type: "media", media: map }]);
});

test.each([
  ["../secret.txt", "PATH_OUTSIDE"],
  [".env", "PATH_SENSITIVE"],
  ["copy.txt", "RESULT_SECRET"],
  ["none.txt", "FILE_MISSING"],
  ["empty.txt", "SEND_EMPTY"],
  ["large.bin", "SEND_TOO_LARGE"],
])("FLR-19: %s is not handed over: %s", async (name, code) => {
  const { host } = await start([calls(name), "Sorry."]);
  await using _ = host;
  const secret = "API_TOKEN=tk_live_0123456789\n";
  put(host, ".env", secret);
  put(host, "copy.txt", `see ${secret}`);
  put(host, "empty.txt", "");
  put(host, "large.bin", Buffer.alloc(25 * 1024 * 1024 + 1));
  const result = await host.ask("show me");
  expect([result.tool_calls[0]?.code, result.files]).toEqual([code, undefined]);
});

test("FLR-19: no more than ten files go with one answer, and the model is told", async () => {
  const names = Array.from({ length: 11 }, (_, i) => `f${i}.txt`);
  const { host, model } = await start([calls(...names), "Most of them.", calls("f10.txt"), "The last."]);
  await using _ = host;
  for (const name of names) put(host, name, name);
  const first = await host.ask("all", { session: "s" });
  expect([first.files?.length, first.tool_calls.at(-1)?.code]).toEqual([10, "TOOL_MANY_FILES"]);
  const told = model.requests.at(-1)?.messages.at(-1);
  expect(textOf(told?.parts ?? [])).toContain("hand over the rest with the next answer");
  expect((await host.ask("and?", { session: "s" })).files?.map(({ name }) => name)).toEqual(["f10.txt"]);
});

const inGroup = { conversation: { id: "lab", kind: "group" }, mentioned: true } as const;
const quoted = [{ type: "text", text: "a stranger's words" }] as const;

test.each([
  ["a group that holds a stranger's words", { ...inGroup, quoted }, "refused: APPROVAL_NO_PERSON"],
  ["a group without any", { ...inGroup, from: "alice" }, "allowed"],
  ["the owner alone", { quoted, from: "alice" }, "allowed"],
  ["somebody else beside a stranger's words", { quoted }, "refused: APPROVAL_NO_PERSON"],
])("FLR-19: a file for %s leaves as anything that leads out would", async (_name, message, result) => {
  const { host, channel } = await start([calls("map.png"), "Done."]);
  await using _ = host;
  await host.serve();
  await channel.receive({ text: "show us", from: "bob", ...message });
  await channel.sentCount(1);
  const record = host.audit.find(({ event_type }) => event_type === "tool_call");
  expect([record?.result, mediaOf(channel.parts[0]).length]).toEqual([result, result === "allowed" ? 1 : 0]);
});
