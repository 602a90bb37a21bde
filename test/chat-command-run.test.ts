import { mkdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { Agents, ChatCommands, definePlugin, Runtime, type Agent, type ChatCommandRun } from "@gantry/sdk";
import { fakeChannel, fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";

const shop: Agent = { name: "shop", workspace: "shop" };

/** Everybody is answered by one agent, whose folder is `shop`. */
const oneAgent = definePlugin({
  name: "one-agent",
  provides: [Agents],
  setup: (host) => void host.provide(Agents, { list: () => [shop], of: () => shop }),
});

type Place = readonly [when: string, folder: string];

/** A command that notes the folder that it is in whenever it is asked something. */
function noting(places: Place[], seen: ChatCommandRun[] = []) {
  return definePlugin({
    name: "noting",
    needs: { runtime: Runtime },
    provides: [ChatCommands],
    setup(host) {
      const { runtime } = host.needs;
      const note = (when: string): void => void places.push([when, runtime.workspaceNow?.() ?? ""]);
      host.provide(ChatCommands, {
        name: "note",
        summary: "notes",
        alsoFor: (word) => (note("alsoFor"), word === "memo"),
        begins: () => (note("begins"), true),
        next: () => void note("next"),
        async run(run) {
          seen.push(run);
          await new Promise(setImmediate);
          places.push(["workspace", run.workspace ?? ""]);
          note("run");
          return { prompt: [{ type: "text", text: "go" }] };
        },
      });
      host.provide(ChatCommands, {
        name: "where",
        summary: "where",
        run: () => runtime.workspaceNow?.() ?? "",
      });
      host.provide(ChatCommands, { name: "here", summary: "here", run: () => "here" });
    },
  });
}

const within = (workspace: string, name: string): string => path.join(realpathSync(workspace), name);

test("SDK-16: a chat command works in the folder of its conversation's agent, whatever it is asked", async () => {
  const places: Place[] = [];
  const plugins = [oneAgent, noting(places), fakeProvider(["ok"]), memoryStore()];
  await using t = await startTestHost({ plugins });
  const folder = within(t.runtime.workspace, "shop");
  mkdirSync(folder);
  await t.ask("/memo");
  const all = ["alsoFor", "workspace", "run", "begins", "next"];
  expect(places).toEqual(all.map((when) => [when, folder]));
  expect(t.runtime.workspaceNow?.()).toBe(t.runtime.workspace);
});

test("SDK-16: a chat command works in the folder that its caller asked for", async () => {
  await using t = await startTestHost({ plugins: [noting([]), fakeProvider([]), memoryStore()] });
  mkdirSync(path.join(t.runtime.workspace, "desk"));
  const { reply } = await t.ask("/where", { workspace: "desk" });
  expect(reply).toBe(within(t.runtime.workspace, "desk"));
  expect((await t.ask("/where")).reply).toBe(t.runtime.workspace);
});

test("SDK-16: without the folder of its agent a chat command is given no other one", async () => {
  const plugins = [oneAgent, noting([]), fakeProvider([]), memoryStore()];
  await using t = await startTestHost({ plugins });
  expect((await t.ask("/where")).reply).toMatch(/^\/where could not be done: .*shop/);
  expect((await t.ask("/here")).reply).toBe("here");
});

test("SDK-16: a chat command in a channel knows its chat and the message that it stands in", async () => {
  const seen: ChatCommandRun[] = [];
  const channel = fakeChannel("fake", { owners: ["ada"] });
  const plugins = [channel, noting([], seen), fakeProvider(["ok"]), memoryStore()];
  await using t = await startTestHost({ plugins });
  await t.serve();
  await channel.receive({ text: "/note", from: "ada", id: "m7" });
  await channel.sentCount(1);
  expect(seen[0]?.origin).toMatchObject({ channel: "fake", message: "m7", trust: "owner" });
  expect(seen[0]?.origin?.to).toEqual(seen[0]?.origin?.replyTo);
  expect(Object.isFrozen(seen[0]?.origin?.conversation)).toBe(true);
});

test("SDK-16: a chat command at a door that waits ends with whoever waits for it", async () => {
  const seen: ChatCommandRun[] = [];
  const plugins = [noting([], seen), fakeProvider(["ok"]), memoryStore()];
  await using t = await startTestHost({ plugins });
  const caller = new AbortController();
  await t.ask("/note", { signal: caller.signal });
  expect(seen[0]?.signal?.aborted).toBe(false);
  caller.abort();
  expect(seen[0]?.signal?.aborted).toBe(true);
});
