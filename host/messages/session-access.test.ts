import { expect, test } from "vitest";
import { Store, textParts } from "@gantry/sdk";
import { fakeChannel, fakeProvider, memoryStore, startTestHost, type TestHost } from "@gantry/sdk/testing";

async function start(): Promise<TestHost> {
  return startTestHost({
    plugins: [fakeChannel(), fakeProvider(Array<string>(9).fill("yes")), memoryStore()],
  });
}

/** The code with which a turn of this user in this conversation is refused, or its answer. */
function asked(t: TestHost, user: string, session: string): Promise<string> {
  return t.ask("hello", { user, session }).then(
    ({ reply }) => reply,
    (error: { code: string }) => error.code,
  );
}

test("SEC-17: a conversation is continued by who opened it and by nobody else", async () => {
  await using t = await start();
  expect(await asked(t, "http:d1", "s1")).toBe("yes");
  expect(await asked(t, "http:d1", "s1")).toBe("yes");
  for (const other of ["http:d2", "cli:me", "fake:alice", "http:d"])
    expect([other, await asked(t, other, "s1")]).toEqual([other, "SESSION_FOREIGN"]);
  expect(await t.slot(Store).sessions.list(9)).toMatchObject([{ id: "s1", turns: 2, owner: "http:d1" }]);
});

test("SEC-17: of two who begin the same conversation at once, one is refused before a model hears it", async () => {
  await using t = await start();
  const said = await Promise.all([asked(t, "http:d1", "s1"), asked(t, "http:d2", "s1")]);
  expect(said.toSorted()).toEqual(["SESSION_FOREIGN", "yes"]);
});

test("SEC-17: a name with a colon that nobody had is refused without naming somebody", async () => {
  await using t = await start();
  const refused = t.ask("hello", { user: "http:phone", session: "http:phone/work" });
  await expect(refused).rejects.toThrow(/is not yours: .*name a new one without a `:`/);
});

test("SEC-17: a conversation of a channel's sender is opened by nobody else, whether or not it has begun", async () => {
  const channel = fakeChannel();
  await using t = await startTestHost({
    plugins: [channel, fakeProvider(Array<string>(9).fill("yes")), memoryStore()],
  });
  expect(await asked(t, "http:d1", "fake:alice")).toBe("SESSION_FOREIGN");
  expect(await asked(t, "cli:me", "fake:alice")).toBe("SESSION_FOREIGN");
  expect(await asked(t, "http:d1", "not-loaded:bob")).toBe("SESSION_FOREIGN");
  await t.serve();
  await channel.receive({ text: "hi" });
  await channel.sentCount(1);
  expect(await t.slot(Store).sessions.access("fake:alice")).toMatchObject({ owner: "fake:alice" });
  expect(await asked(t, "http:d1", "fake:alice")).toBe("SESSION_FOREIGN");
  expect(await asked(t, "cli:me", "fake:alice")).toBe("SESSION_FOREIGN");
});

test("SEC-17: whom the owner shared a conversation with may continue it until that is taken back", async () => {
  await using t = await start();
  await asked(t, "http:d1", "s1");
  const { sessions } = t.slot(Store);
  await sessions.share("s1", "cli:me");
  expect(await asked(t, "cli:me", "s1")).toBe("yes");
  expect(await asked(t, "http:d2", "s1")).toBe("SESSION_FOREIGN");
  await sessions.unshare("s1", "cli:me");
  expect(await asked(t, "cli:me", "s1")).toBe("SESSION_FOREIGN");
});

test("SEC-17: what an earlier release kept without an owner is the terminal's alone", async () => {
  await using t = await start();
  const { sessions } = t.slot(Store);
  await sessions.append("old", [{ role: "user", parts: textParts("x") }]);
  expect(await asked(t, "http:d1", "old")).toBe("SESSION_FOREIGN");
  expect(await asked(t, "cli:me", "old")).toBe("yes");
  // Under whatever name: who may read the store is its owner.
  expect(await asked(t, "cli:root", "old")).toBe("yes");
  expect(await asked(t, "http:d1", "old")).toBe("SESSION_FOREIGN");
});
