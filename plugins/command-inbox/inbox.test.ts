import {
  Commands,
  definePlugin,
  directMessage,
  Store,
  type CommandContext,
  type InboundMessage,
} from "@gantry/sdk";
import { Redactors } from "@gantry/sdk/fill";
import { startTestHost, type TestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import store from "../store-sqlite/index.ts";
import plugin from "./index.ts";

const hidden = definePlugin({
  name: "redact-test",
  provides: [Redactors],
  setup: (host) =>
    host.provide(Redactors, {
      name: "test",
      holdBack: 20,
      redact: (text) => text.replaceAll("sk-secret", "[hidden]"),
    }),
});

function written(from: string, text: string): InboundMessage {
  return directMessage({ channel: "chat", id: `id-${from}`, from, text });
}

interface Told {
  readonly code: number;
  readonly out: readonly string[];
}

interface Started extends AsyncDisposable {
  readonly host: TestHost;
  run(name: string, args?: readonly string[], options?: CommandContext["options"]): Promise<Told>;
}

/** Two messages are dead letters, one of them with its answer; a third waits. */
async function start(): Promise<Started> {
  const host = await startTestHost({ plugins: [store, hidden, plugin] });
  const { lanes } = host.slot(Store);
  await lanes.accept([
    written("1", "my key is sk-secret"),
    written("2", "two\u001b[2J\nlines"),
    written("3", "three"),
  ]);
  const claim = async () => (await lanes.claim(1, 60_000))[0]!;
  await lanes.deadLetter(await claim(), "the model said sk-secret");
  const second = await claim();
  await lanes.answer(second, "hello", "chat:2", []);
  await lanes.deadLetter(second, "refused");
  const run: Started["run"] = async (name, args = [], options = {}) => {
    const out: string[] = [];
    const signal = AbortSignal.timeout(60_000);
    const context = { args, options, out: (line: string) => void out.push(line), err: () => {}, signal };
    const code = await host
      .slot(Commands)
      .get(name)!
      .run({ ...context, interactive: false, serve: async () => 1 });
    return { code, out };
  };
  return { host, run, [Symbol.asyncDispose]: () => host.stop() };
}

test("INB-02: dead letters are listed with the reason, redacted and in one line each; those that wait apart", async () => {
  await using t = await start();
  const { out } = await t.run("inbox list");
  expect(out).toHaveLength(2);
  expect(out[0]).toMatch(/^ +1 {2}\d{4}-.*chat id-1 {2}the model said \[hidden\]$/);
  expect((await t.run("inbox list", [], { waiting: true })).out).toEqual([
    expect.stringMatching(/^ +3 {2}\d{4}-.*chat id-3 {2}it waits for its turn$/),
  ]);
  const listed = JSON.parse((await t.run("inbox list", [], { json: true })).out.join("")) as {
    messages: object[];
  };
  expect(listed.messages).toMatchObject([
    { number: 1, state: "dead", id: "id-1", reason: "the model said [hidden]", isAnswered: false },
    { number: 2, state: "dead", reason: "refused", isAnswered: true },
  ]);
});

test("INB-02: one is shown whole, with what was written and what was answered, redacted and without control signs", async () => {
  await using t = await start();
  expect((await t.run("inbox show", ["1"])).out).toContain("text       my key is [hidden]");
  const second = (await t.run("inbox show", ["2"])).out;
  expect(second).toContain("text       two lines");
  expect(second).toContain("answer     hello");
  const whole = JSON.parse((await t.run("inbox show", ["2"], { json: true })).out.join("")) as object;
  expect(whole).toMatchObject({ number: 2, from: "chat:2", answer: "hello" });
});

test("INB-02: retry puts back dead letters, by number or all of it", async () => {
  await using t = await start();
  const { lanes } = t.host.slot(Store);
  expect((await t.run("inbox retry", ["2"])).out).toEqual(["1 message is retried."]);
  expect(await lanes.stats()).toEqual({ waiting: 2, running: 0, deadLetters: 1 });
  const { out } = await t.run("inbox retry", [], { all: true, json: true });
  expect(out).toEqual(['{"retried":[1]}']);
  expect(await lanes.stats()).toEqual({ waiting: 3, running: 0, deadLetters: 0 });
  expect((await t.run("inbox list")).out).toEqual(["There are no dead letters."]);
});

test("INB-02: drop gives messages up, whether they wait or are dead letters", async () => {
  await using t = await start();
  expect((await t.run("inbox drop", ["1", "3"])).out).toEqual(["2 messages are dropped."]);
  expect((await t.run("inbox drop", [], { all: true })).out).toEqual(["1 message is dropped."]);
  const { lanes } = t.host.slot(Store);
  expect((await lanes.stats()).deadLetters).toBe(0);
  const [notice, ...more] = await lanes.page("waiting", 5);
  expect([notice?.id, more]).toEqual(["gantry:dropped:id-3", []]);
  await t.run("inbox drop", [String(notice?.number)]);
  expect((await t.run("inbox list", [], { waiting: true })).out).toEqual(["No message waits."]);
});

test("INB-02: CTX-07: who waits for an answer is told once that the message was given up; who was told before is not", async () => {
  await using t = await start();
  const { lanes } = t.host.slot(Store);
  await t.run("inbox drop", ["1", "3"]);
  const [notice, ...more] = await lanes.claim(5, 60_000);
  expect(more).toEqual([]);
  expect(notice).toMatchObject({ isNotice: true, message: { replyTo: "3" } });
  expect(notice?.reply).toMatch(/^Your message of .* UTC was given up and will not be answered/);
});

test("INB-02: CTX-07: of many messages of one conversation that are dropped its sender is told in one sentence", async () => {
  await using t = await start();
  const { lanes } = t.host.slot(Store);
  const more = ["4", "5", "6"].map((id) => ({ ...written("3", id), id }));
  await lanes.accept([...more, written("4", "hi")]);
  expect((await t.run("inbox drop", ["4", "3", "5", "6", "7"])).out).toEqual(["5 messages are dropped."]);
  const notices = await lanes.claim(5, 60_000);
  expect(notices.map(({ message, reply }) => [message.replyTo, reply])).toEqual([
    ["3", expect.stringMatching(/^4 of your messages, the first of .* UTC, were given up and will not/)],
    ["4", expect.stringMatching(/^Your message of .* UTC was given up/)],
  ]);
  for (const notice of notices) await lanes.ack(notice);
  expect((await t.run("inbox list", [], { waiting: true })).out).toEqual(["No message waits."]);
});

test.each([
  ["inbox retry", [], "INBOX_WHICH"],
  ["inbox show", ["x"], "INBOX_BAD_NUMBER"],
  ["inbox show", ["-1"], "INBOX_BAD_NUMBER"],
  ["inbox show", ["99"], "INBOX_UNKNOWN"],
  ["inbox retry", ["1", "99"], "INBOX_UNKNOWN"],
  ["inbox retry", ["3"], "INBOX_NOT_DEAD"],
])("INB-02: %s %j is refused with %s, and nothing is changed", async (name, args, code) => {
  await using t = await start();
  await expect(t.run(name, args)).rejects.toMatchObject({ code });
  expect(await t.host.slot(Store).lanes.stats()).toEqual({ waiting: 1, running: 0, deadLetters: 2 });
});

test("INB-02: a message that is being answered is not dropped", async () => {
  await using t = await start();
  const { lanes } = t.host.slot(Store);
  await lanes.claim(1, 60_000);
  await expect(t.run("inbox drop", ["3"])).rejects.toMatchObject({ code: "INBOX_BUSY" });
  expect((await lanes.stats()).running).toBe(1);
});
