import { Agents, Commands, definePlugin, Store, type Agent, type CommandContext } from "@gantry/sdk";
import { bundledPlugin, fakeProvider, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import store from "../store-sqlite/index.ts";
import plugin from "./index.ts";

const both: readonly Agent[] = [{ name: "own" }, { name: "like-all", memory: "shared" }];

/** Two agents: one with a memory of its own, one with the shared one. */
const agents = definePlugin({
  name: "two-agents",
  provides: [Agents],
  setup(host) {
    host.provide(Agents, { list: () => both, of: ({ named }) => both.find(({ name }) => name === named) });
  },
});

/** A host in which the model stores what a message says. */
async function start() {
  const model = fakeProvider([
    ({ messages }) => {
      const last = messages.at(-1);
      if (last?.role !== "user") return "kept";
      const text = last.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
      return { calls: [{ name: "memory_store", args: { text } }] };
    },
  ]);
  const sessions = await bundledPlugin("command-sessions");
  const t = await startTestHost({ plugins: [plugin, store, agents, model, sessions] });
  const word = async (name: string, options: CommandContext["options"]) => {
    const out: string[] = [];
    const context = { args: [], options, out: (line: string) => out.push(line), err: () => {} };
    await t
      .slot(Commands)
      .get(name)
      ?.run(context as unknown as CommandContext);
    return out.join("\n");
  };
  const tell = (text: string, agent: string | undefined, user: string) =>
    t.ask(text, {
      user,
      session: `${user.replace(":", "-")}-${agent ?? "none"}`,
      approvals: "yes",
      ...(agent !== undefined && { agent }),
    });
  return Object.assign(t, { word, tell });
}

test("AGT-14: a memory of an agent's own is listed and exported by its name, and by no other", async () => {
  await using t = await start();
  await t.tell("said to all", undefined, "cli:ada");
  await t.tell("said to own", "own", "cli:ada");
  await t.tell("said to like-all", "like-all", "cli:ada");
  const texts = async (options: object): Promise<readonly string[]> =>
    JSON.parse(await t.word("memory list", { user: "cli:ada", json: true, ...options })).memories.map(
      ({ text }: { text: string }) => text,
    );
  expect(await texts({})).toEqual(["said to like-all", "said to all"]);
  expect(await texts({ agent: "own" })).toEqual(["said to own"]);
  const whole = JSON.parse(await t.word("memory export", { user: "cli:ada" }));
  expect(whole.agents.own).toMatchObject([{ text: "said to own" }]);
});

test("AGT-14: CTX-05: with a person go the memories that agents keep of them, and nobody else's", async () => {
  await using t = await start();
  for (const user of ["cli:ada", "cli:bob"]) {
    await t.tell("to all", undefined, user);
    await t.tell("to own", "own", user);
  }
  const out = await t.word("sessions remove", { user: "cli:ada", json: true });
  expect(JSON.parse(out)).toMatchObject({ memories: 2 });
  expect(await t.slot(Store).memory.recall("cli:ada as own", "", 9)).toEqual([]);
  expect(await t.slot(Store).memory.count()).toBe(2);
  expect(JSON.parse(await t.word("memory export", { user: "cli:bob" })).agents.own).toHaveLength(1);
});
