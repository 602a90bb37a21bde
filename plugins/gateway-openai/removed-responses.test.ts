import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Store, textOf, type ChatRequest, type Plugin } from "@gantry/sdk";
import { expect, onTestFinished, test, vi } from "vitest";
import storeSqlite from "../store-sqlite/index.ts";
import { echo, failure, folder, model, saidIn, say, sessionsOf } from "./kept-responses.test-kit.ts";
import { another, start } from "./openai.test-kit.ts";

const store: Plugin = storeSqlite;

test("OAI-13: a deleted response is gone, and later ones still know what was said", async () => {
  await using gateway = await start(echo);
  const { client } = gateway;
  const one = await say(client, "one");
  const two = await say(client, "two", one.id);
  await client.responses.delete(one.id);
  expect(await failure(client.responses.retrieve(one.id))).toContain(404);
  expect(await failure(say(client, "?", one.id))).toContain(404);
  const three = await say(client, "three", two.id);
  expect(saidIn(gateway.model.requests.at(-1))).toEqual(["one", "re one", "two", "re two", "three"]);
  await client.responses.delete(three.id);
  await client.responses.delete(two.id);
  expect(await sessionsOf(gateway)).toEqual([]);
});

test("OAI-13: the words of the last response go with it, and the one before is continued", async () => {
  await using gateway = await start(echo);
  const { client, host } = gateway;
  const one = await say(client, "one");
  const two = await say(client, "regretted", one.id);
  await client.responses.delete(two.id);
  const [session] = await sessionsOf(gateway);
  const kept = await host.slot(Store).sessions.recent(String(session?.id), 99);
  expect(kept.map(({ parts }) => textOf(parts).split("\n").at(-1))).toEqual(["one", "re one"]);
  await say(client, "on", one.id);
  expect(saidIn(gateway.model.requests.at(-1))).toEqual(["one", "re one", "on"]);
});

test("OAI-13: a response that is deleted while its turn runs is stopped and not kept", async () => {
  const never = new Promise<never>(() => {});
  await using gateway = await start(["first", { text: "late", after: never }]);
  const { client } = gateway;
  const one = await say(client, "one");
  const stream = await client.responses.create({
    model,
    input: "two",
    previous_response_id: one.id,
    stream: true,
  });
  const types: string[] = [];
  const broken = (async () => {
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === "response.created") await client.responses.delete(event.response.id);
    }
  })();
  await expect(broken).rejects.toThrow(/cancel|stopped/i);
  expect(types).not.toContain("response.completed");
  const [session, ...more] = await sessionsOf(gateway);
  expect(more).toEqual([]);
  const kept = await gateway.host.slot(Store).sessions.recent(String(session?.id), 99);
  expect(kept.map(({ parts }) => textOf(parts).split("\n").at(-1))).toEqual(["one", "first"]);
});

test("OAI-13: what a running turn continues may be deleted; the turn is kept", async () => {
  const { promise: after, resolve } = Promise.withResolvers<void>();
  await using gateway = await start(["first", { text: "second", after }]);
  const { client } = gateway;
  const one = await say(client, "one");
  const running = say(client, "two", one.id);
  await expect.poll(() => gateway.model.requests.length).toBe(2);
  await client.responses.delete(one.id);
  resolve();
  const two = await running;
  expect((await client.responses.retrieve(two.id)).output_text).toBe("second");
  await client.responses.delete(two.id);
  expect(await sessionsOf(gateway)).toEqual([]);
});

test("OAI-13: a client that leaves a stream stops the turn, and nothing of it is kept", async () => {
  let stopped: AbortSignal | undefined;
  const never = new Promise<never>(() => {});
  const waiting = ({ signal }: ChatRequest) => {
    stopped = signal;
    return { text: "late", after: never };
  };
  await using gateway = await start(["first", waiting, "again"]);
  const { client } = gateway;
  const one = await say(client, "one");
  const stream = await client.responses.create({
    model,
    input: "two",
    previous_response_id: one.id,
    stream: true,
  });
  await expect.poll(() => stopped).toBeDefined();
  stream.controller.abort();
  await expect.poll(() => stopped?.aborted).toBe(true);
  await expect.poll(async () => (await say(client, "three", one.id)).output_text).toBe("again");
  expect(saidIn(gateway.model.requests[2])).toEqual(["one", "first", "three"]);
});

test("OAI-13: a request that failed leaves nothing, and the same is asked again in place", async () => {
  const down = { code: "PROVIDER_SERVER", message: "down", retry: false };
  await using gateway = await start([{ failure: down }, "first", { failure: down }, "second"]);
  const { client } = gateway;
  expect(await failure(say(client, "one"))).toEqual([502, "PROVIDER_SERVER", null]);
  expect(await sessionsOf(gateway)).toEqual([]);
  const one = await say(client, "one");
  expect(await failure(say(client, "two", one.id))).toContain(502);
  await say(client, "two", one.id);
  expect(saidIn(gateway.model.requests[3])).toEqual(["one", "first", "two"]);
  expect(await sessionsOf(gateway)).toHaveLength(1);
});

test("OAI-13: of one token so many conversations are kept as is configured", async () => {
  await using gateway = await start(echo, { responses_conversations: 2 });
  const { client } = gateway;
  const made = [];
  for (const text of ["one", "two", "three"]) made.push(await say(client, text));
  const found = await Promise.all(made.map(({ id }) => failure(client.responses.retrieve(id))));
  expect(found.map((one) => one === "worked")).toEqual([false, true, true]);
  expect(await sessionsOf(gateway)).toHaveLength(2);
});

test("OAI-13: of one token so many MiB are kept as is configured, the longest unused go first", async () => {
  await using gateway = await start(echo, { responses_mib: 8 });
  const { client: phone } = await another(gateway);
  const { client } = gateway;
  const others = await say(phone, "mine");
  const long = "x".repeat(1024 * 1024);
  const made = [];
  for (let i = 0; i < 3; i += 1) made.push(await say(client, `${i} ${long}`));
  await say(client, "on", made[0]?.id);
  made.push(await say(client, `3 ${long}`));
  const found = await Promise.all(made.map(({ id }) => failure(client.responses.retrieve(id))));
  expect(found.map((one) => one === "worked")).toEqual([true, false, true, true]);
  expect(await failure(phone.responses.retrieve(others.id))).toBe("worked");
});

test("OAI-13: a conversation that the owner removes takes its responses with it", async () => {
  const configDir = await folder();
  await using gateway = await start(echo, {}, [], { store, configDir });
  const { client, host } = gateway;
  const made = await say(client, "unmistakable");
  const [session] = await sessionsOf(gateway);
  const rows = (): string => {
    const db = new DatabaseSync(join(configDir, "state", "gantry.db"), { readOnly: true });
    try {
      return JSON.stringify(db.prepare("SELECT * FROM named").all());
    } finally {
      db.close();
    }
  };
  expect(rows()).toContain("unmistakable");
  await host.slot(Store).sessions.remove(String(session?.id));
  expect(rows()).not.toContain("unmistakable");
  expect(await failure(client.responses.retrieve(made.id))).toContain(404);
});

test("OAI-13: after the days that are configured a response is gone, with what was said", async () => {
  await using gateway = await start(echo, { responses_days: 1, responses_conversations: 16 });
  const { client } = gateway;
  const old = await say(client, "old");
  const now = Date.now();
  vi.spyOn(Date, "now").mockImplementation(() => now + 2 * 86_400_000);
  onTestFinished(() => void vi.restoreAllMocks());
  const fresh = await say(client, "fresh");
  const sessions = await sessionsOf(gateway);
  expect(await failure(client.responses.retrieve(old.id))).toContain(404);
  expect(sessions.map(({ id }) => fresh.id.startsWith(id.replace("responses-", "resp_")))).toEqual([true]);
});
