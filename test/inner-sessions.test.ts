import { definePlugin, directMessage, Inbox, Store, textOf, Tools, type InboundMessage } from "@gantry/sdk";
import {
  createMemoryStore,
  fakeChannel,
  fakeProvider,
  memoryStore,
  startTestHost,
} from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";

const delegate = { calls: [{ name: "delegate", args: {} }] };

/**
 * A tool that hands a task to a turn in the session that `named` gives, and keeps what was refused.
 */
function delegating(named: (session: string) => string, refused: string[] = []) {
  return definePlugin({
    name: "tool-delegate",
    needs: { inbox: Inbox },
    provides: [Tools],
    setup: (host) =>
      host.provide(Tools, {
        name: "delegate",
        description: "Hands on.",
        input: Type.Object({}),
        async run({ session, signal }) {
          const from = { channel: "x", id: crypto.randomUUID(), from: "x", text: "task" };
          const message = directMessage({ ...from, session: named(session) });
          const asked = host.needs.inbox.prompt(message, { approvals: "none", signal });
          return asked.then(
            ({ reply }) => reply,
            (error: { code: string }) => (refused.push(error.code), error.code),
          );
        },
      }),
  });
}

test("SDK-17: a turn within a turn is kept under a name behind its outer session, and belongs to its owner", async () => {
  const channel = fakeChannel("fake");
  const model = fakeProvider([delegate, "inner 1", "outer 1", delegate, "inner 2", "outer 2"]);
  const plugins = [delegating((session) => `${session}/research`), channel, model, memoryStore()];
  await using t = await startTestHost({ plugins });
  await t.serve();
  await channel.receive({ text: "go", from: "bob" });
  await channel.sentCount(1);
  await channel.receive({ text: "again", from: "bob" });
  await channel.sentCount(2);
  const second = model.requests[4]?.messages.slice(1).map(({ parts }) => textOf(parts));
  expect(second).toEqual(["task", "inner 1", "task"]);
  const access = await t.slot(Store).sessions.access("fake:bob/research");
  expect(access).toMatchObject({ owner: "fake:bob" });
});

test("SDK-17: a turn names no session behind one that is not its own, nor by a name of another form", async () => {
  const names = ["fake:alice/research", "/research", "/a/b", "/", "/../x", "/ä"];
  const refused: string[] = [];
  for (const name of names) {
    const named = (session: string) => (name.startsWith("/") ? `${session}${name}` : name);
    const channel = fakeChannel("fake");
    const model = fakeProvider([delegate, "inner", "outer"]);
    const plugins = [delegating(named, refused), channel, model, memoryStore()];
    await using t = await startTestHost({ plugins });
    await t.serve();
    await channel.receive({ text: "go", from: "bob" });
    await channel.sentCount(1);
  }
  expect(refused).toEqual(Array.from({ length: 5 }, () => "SESSION_FOREIGN"));
});

test("SDK-17: guards that see a message a second time are told so, and a channel cannot say it first", async () => {
  const seen: (true | undefined)[] = [];
  const guard = definePlugin({
    name: "guard-counting",
    taps: ["onInboundMessage"],
    setup: (host) => host.hooks.onInboundMessage.tap(({ again }: InboundMessage) => void seen.push(again)),
  });
  const store = createMemoryStore();
  const first = fakeChannel("fake");
  const t1 = await startTestHost({ plugins: [first, guard, memoryStore(store)] });
  await first.receive({ text: "hello", again: true });
  await t1.stop();
  const second = fakeChannel("fake");
  await using t2 = await startTestHost({
    plugins: [second, guard, fakeProvider(["ok"]), memoryStore(store)],
  });
  await t2.serve();
  await second.sentCount(1);
  expect(seen).toEqual([undefined, true]);
});
