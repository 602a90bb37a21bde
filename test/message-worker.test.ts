import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { definePlugin, Store, type Caller, type InboundMessage, type Plugin } from "@gantry/sdk";
import { MessageWorker, type Claim, type ClaimedMessages } from "@gantry/sdk/fill";
import { runForCaller, withinCaller } from "@gantry/sdk/node";
import { bundledPlugin, fakeChannel, fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { gantry, said, startGantry } from "./helpers/cli.ts";
import { talk } from "./helpers/pty.ts";
import { pluginNames, root } from "./helpers/sources.ts";
import { tool } from "./helpers/plugins.ts";
import { tempDir } from "./helpers/temp-dir.ts";

const signal = new AbortController().signal;

const callerNow = (): Caller | undefined => withinCaller<{ readonly caller?: Caller }>({}).caller;

/** A host whose worker does nothing by itself; the test works with what the worker was handed. */
async function handed(text: string = "hi", model = fakeProvider(["hello"]), more: Plugin[] = []) {
  let messages: ClaimedMessages | undefined;
  const worker: Plugin = definePlugin({
    name: "worker-idle",
    provides: [MessageWorker],
    setup: (host) =>
      host.provide(MessageWorker, {
        async start(given) {
          messages = given;
          return { stop: async () => {} };
        },
      }),
  });
  const channel = fakeChannel("chat");
  const t = await startTestHost({ plugins: [channel, model, memoryStore(), worker, ...more] });
  await t.serve();
  await channel.receive({ text });
  return {
    t,
    channel,
    model,
    messages: messages as ClaimedMessages,
    [Symbol.asyncDispose]: () => t.stop(),
  };
}

async function claimed(messages: ClaimedMessages): Promise<Claim> {
  const [claim] = await messages.claim(1, 60_000);
  return claim as Claim;
}

test("HSE-01: a worker has the host run, record and send the answer of a message it claimed", async () => {
  await using h = await handed();
  const claim = await claimed(h.messages);
  expect(await h.messages.turn(claim, { signal })).toEqual({ status: "answered", isWhole: true });
  await h.messages.keep(claim);
  expect(await h.messages.send(claim, signal)).toMatchObject({ status: "sent" });
  expect(h.channel.sent).toEqual([{ to: "alice", text: "hello" }]);
});

test.each<readonly [string, (messages: ClaimedMessages) => Promise<Claim>]>([
  [
    "a claim that the store gave beside the host",
    async ({ lanes }) => (await lanes.claim(1, 1_000))[0] as Claim,
  ],
  [
    "a copy of a claim in another name",
    async (messages) => {
      const claim = await claimed(messages);
      return { ...claim, message: { ...claim.message, trust: "owner", sender: { id: "boss" } } };
    },
  ],
])("HSE-01: no turn is run and nothing is sent for %s", async (_what, claimOf) => {
  await using h = await handed();
  const claim = await claimOf(h.messages);
  await expect(h.messages.turn(claim, { signal })).rejects.toMatchObject({ code: "LEASE_LOST" });
  await expect(h.messages.keep(claim)).rejects.toMatchObject({ code: "LEASE_LOST" });
  await expect(h.messages.send(claim, signal)).rejects.toMatchObject({ code: "LEASE_LOST" });
  await expect(h.messages.show(claim, "x", undefined, signal)).rejects.toMatchObject({ code: "LEASE_LOST" });
  expect([h.model.requests.length, h.channel.sent.length]).toEqual([0, 0]);
});

test("HSE-01: a worker cannot change whose message it claimed", async () => {
  await using h = await handed();
  const { message } = await claimed(h.messages);
  const open = message as { -readonly [K in keyof InboundMessage]: InboundMessage[K] };
  expect(() => (open.trust = "owner")).toThrow(TypeError);
  expect(() => Object.assign(message.sender, { id: "boss" })).toThrow(TypeError);
  expect(() => Object.assign(message.parts[0] as object, { text: "obey" })).toThrow(TypeError);
});

const ways = ["turn", "traced"] as const;
const kiosk: Caller = { device: "d_kiosk", name: "kiosk", may: ["talk"] };
const callOf = (name: string) => ({ calls: [{ name, args: {} }] });

/** A host whose tool `probe` notes the caller and whether the workspace is the configured one. */
async function probed(how: (typeof ways)[number], script = [callOf("probe"), "hello"]) {
  const seen: unknown[] = [];
  const note = async (): Promise<string> => {
    seen.push([callerNow()?.device, h.t.runtime.workspaceNow?.() === h.t.runtime.workspace]);
    return "noted";
  };
  const work = async (): Promise<string> => {
    const claim = await claimed(h.messages);
    await (how === "turn" ? h.messages.turn(claim, { signal }) : h.messages.traced(claim, note));
    return "done";
  };
  const model = fakeProvider([...script, ...script]);
  const h = await handed("hi", model, [tool("probe", note), tool("work", work)]);
  return { ...h, seen, work };
}

test.each(ways)("SDK-21: ClaimedMessages.%s drops the caller who woke the worker", async (how) => {
  await using h = await probed(how);
  await runForCaller(kiosk, h.work);
  expect(h.seen).toEqual([[undefined, true]]);
});

test.each(ways)(
  "SDK-21: ClaimedMessages.%s has its message's caller, whoever woke the worker",
  async (how) => {
    await using h = await probed(how);
    await h.work();
    await runForCaller(kiosk, () => h.channel.receive({ text: "again", from: "kiosk" }));
    await runForCaller({ device: "d_other", may: ["read"] }, h.work);
    expect(h.seen.at(-1)).toEqual(["d_kiosk", true]);
  },
);

test("SDK-21: what is run for no caller keeps none of the one around it", () => {
  expect(runForCaller(kiosk, () => runForCaller(undefined, callerNow))).toBeUndefined();
  expect(runForCaller(kiosk, callerNow)).toEqual(kiosk);
});

test("SDK-17: ClaimedMessages.traced drops the workspace of whoever woke the worker", async () => {
  await using h = await probed("traced", [callOf("work"), "hello"]);
  mkdirSync(path.join(h.t.runtime.workspace, "a"));
  await h.t.ask("go", { workspace: "a" });
  expect(h.seen).toEqual([[undefined, true]]);
});

test("HSE-01: an answer that is not recorded is not sent", async () => {
  await using h = await handed();
  const claim = await claimed(h.messages);
  await h.messages.turn(claim, { signal });
  await expect(h.messages.send(claim, signal)).rejects.toMatchObject({ code: "LEASE_LOST" });
  expect(h.channel.sent).toEqual([]);
});

test("HSE-01: without a worker a gateway that has no channel starts, and misses none", async () => {
  using home = tempDir('without_plugins = ["inbox-worker"]\n[gateway]\nport = 0\n');
  const { child, ended } = startGantry(["gateway"], { dir: home.dir });
  await said(child, "stderr", /Gantry is ready/);
  child.kill("SIGTERM");
  const { code, err } = await ended;
  expect([code, err.includes("message-worker")]).toEqual([0, false]);
});

/** A list of what comes with Gantry, with one channel, without the plugins named. */
function listed(...without: readonly string[]): string {
  const names = pluginNames().filter(
    (name) =>
      !without.includes(name) &&
      !/^(?:channel-(?!telegram)|level-2|shared|store-postgres|telemetry-otlp)/.test(name),
  );
  return `plugins = ${JSON.stringify(names)}\n`;
}

const channel = '[channels.telegram]\nbot_token = "1:x"\nallowed_user_ids = [1]\n';

test("HSE-01: without a worker a service with a channel does not start, and names the word to add", async () => {
  using home = tempDir(`without_plugins = ["inbox-worker"]\n${channel}`);
  const { code, err } = await gantry(["daemon"], { dir: home.dir });
  const words = 'fills the slot message-worker: take "inbox-worker" out of `without_plugins`.';
  expect([code, err]).toEqual([2, expect.stringContaining(words)]);
  using other = tempDir(`${listed("inbox-worker")}${channel}`);
  const start = await gantry(["daemon"], { dir: other.dir });
  expect(start.err).toContain('fills the slot message-worker: add "inbox-worker" to `plugins`.');
});

test("HSE-01: status names the word to add for what no plugin of a list does", async () => {
  using home = tempDir(`${listed("inbox-worker", "ask-words")}${channel}`);
  const { out } = await gantry(["status", "--json"], { dir: home.dir });
  const { rows } = JSON.parse(out) as { rows: readonly { readonly what: string; cure?: string }[] };
  const cures = new Map(rows.map(({ what, cure }) => [what, cure]));
  for (const [what, word] of [
    ["messages", "inbox-worker"],
    ["questions of tools", "ask-words"],
  ] as const)
    expect([what, cures.get(what)]).toEqual([what, `add "${word}" to \`plugins\``]);
});

const wonder = `import { definePlugin, defineTool, Tools } from "@gantry/sdk";
const run = async ({ ask }) => (await ask({ text: "Which one?" })).action;
const tool = defineTool({
  name: "wonder",
  description: "Asks.",
  input: { type: "object", properties: {} },
  run: (given) => run(given).catch((error) => error.message),
});
export default definePlugin({
  name: "tool-wonder",
  provides: [Tools],
  setup: (host) => host.provide(Tools, tool),
});
`;

test("HSE-01: a tool that asks where nobody puts questions is told the word that changes it", async () => {
  const config = 'without_plugins = ["ask-words"]\nextra_plugins = ["./wonder.mjs"]\n';
  using home = tempDir(`${config}[agent]\nautonomy_level = "autonomous"\n`);
  writeFileSync(path.join(home.dir, "wonder.mjs"), wonder);
  await using terminal = talk(["tools", "call", "wonder", "{}"], { dir: home.dir });
  expect(await terminal.until(/without_plugins/)).toContain('take "ask-words" out of');
});

test("HSE-01: what was accepted without a worker is answered once there is one", async () => {
  using home = tempDir();
  const store = await bundledPlugin("store-sqlite");
  const idle = definePlugin({
    name: "worker-idle",
    provides: [MessageWorker],
    setup: (host) => host.provide(MessageWorker, { start: async () => ({ stop: async () => {} }) }),
  });
  const before = fakeChannel("chat");
  const model = fakeProvider(["hello"]);
  const first = await startTestHost({ plugins: [before, model, store, idle], configDir: home.dir });
  await first.serve();
  expect(await before.receive({ text: "hi" })).toBe("accepted");
  expect(await first.slot(Store).lanes.stats()).toMatchObject({ waiting: 1 });
  await first.stop();
  const after = fakeChannel("chat");
  await using second = await startTestHost({ plugins: [after, model, store], configDir: home.dir });
  await second.serve();
  await after.sentCount(1);
  expect(after.sent).toEqual([{ to: "alice", text: "hello" }]);
});

test("HSE-01: the slots that a package.json states are those that its plugin fills", async () => {
  const stated = pluginNames().flatMap((name) => {
    const text = readFileSync(path.join(root, "plugins", name, "package.json"), "utf8");
    const { gantry = {} } = JSON.parse(text) as { gantry?: { provides?: readonly string[] } };
    return gantry.provides ? [[name, gantry.provides] as const] : [];
  });
  const filled = stated.map(async ([name]) => {
    const { provides = [] } = await bundledPlugin(name);
    return [name, provides.map(({ id }) => id)];
  });
  expect(stated.length).toBeGreaterThan(0);
  expect(await Promise.all(filled)).toEqual(stated);
});

test("HSE-01: status and `plugins list` say before a start that nothing works off a channel's messages", async () => {
  const telegram = '[channels.telegram]\nbot_token = "123456789:AAtokenofthetestsABCDEFGHIJKLMNOPQRS"\n';
  using home = tempDir(`without_plugins = ["inbox-worker"]\n${telegram}`);
  const { rows } = JSON.parse((await gantry(["status", "--json"], { dir: home.dir })).out) as {
    rows: readonly { readonly what: string }[];
  };
  expect(rows).toContainEqual(
    expect.objectContaining({
      what: "messages",
      state: "fail",
      detail: expect.stringMatching(/does not start/),
    }),
  );
  const { out } = await gantry(["plugins", "list", "--json"], { dir: home.dir });
  const words =
    "A channel is listed and no plugin works off its messages: " +
    'take "inbox-worker" out of `without_plugins`.';
  expect(JSON.parse(out)).toMatchObject({ stops: [words], retired: [words], absent: ["inbox-worker"] });
});
