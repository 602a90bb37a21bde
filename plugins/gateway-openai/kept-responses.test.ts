import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Store, textOf, type Plugin } from "@gantry/sdk";
import type { ChatRequest } from "@gantry/sdk";
import type OpenAI from "openai";
import { expect, onTestFinished, test, vi } from "vitest";
import storeSqlite from "../store-sqlite/index.ts";
import { another, start, type OpenAIGateway } from "./openai.test-kit.ts";

const store: Plugin = storeSqlite;
const model = "gantry";

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "gantry-responses-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** What the people and the model have said in a request, without the system's part. */
function saidIn(request: ChatRequest | undefined): readonly string[] {
  return (request?.messages ?? []).slice(1).map(({ parts }) => textOf(parts).split("\n").at(-1) ?? "");
}

/** A model that answers each message with it. */
const echo = [
  ({ messages }: ChatRequest) =>
    `re ${textOf(messages.at(-1)?.parts ?? [])
      .split("\n")
      .at(-1)}`,
];

const say = (client: OpenAI, input: string, previous?: string) =>
  client.responses.create({
    model,
    input,
    ...(previous !== undefined && { previous_response_id: previous }),
  });

const failure = (work: Promise<unknown>) =>
  work.then(
    () => "worked",
    ({ status, code, param }: InstanceType<typeof OpenAI.APIError>) => [status, code, param],
  );

const sessionsOf = async ({ host }: OpenAIGateway) =>
  (await host.slot(Store).sessions.list(99)).map(({ id, owner }) => ({ id, owner }));

test("OAI-13: a response is continued where it ended, and each request begins with the last", async () => {
  await using gateway = await start(echo);
  const { client } = gateway;
  const one = await say(client, "one");
  const two = await say(client, "two", one.id);
  await say(client, "three", two.id);
  const [first, second, third] = gateway.model.requests;
  expect(saidIn(third)).toEqual(["one", "re one", "two", "re two", "three"]);
  for (const [earlier, later] of [
    [first, second],
    [second, third],
  ])
    expect(later?.messages.slice(0, earlier?.messages.length)).toEqual(earlier?.messages);
  expect(await sessionsOf(gateway)).toHaveLength(1);
});

test("OAI-13: continuations at once have a past of their own each, and wait for no other", async () => {
  const texts = ["a", "b", "c", "d"];
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const [answer] = echo;
  const together = (request: ChatRequest) => {
    if (gateway.model.requests.length > texts.length) resolve();
    return { text: answer!(request), after: all };
  };
  await using gateway = await start([answer!, together]);
  const { client } = gateway;
  const one = await say(client, "one");
  const answers = await Promise.all(texts.map((text) => say(client, text, one.id)));
  expect(gateway.model.requests.slice(1).map(saidIn).toSorted()).toEqual(
    texts.map((text) => ["one", "re one", text]),
  );
  for (const [i, { id }] of answers.entries()) {
    await say(client, "then", id);
    const text = texts[i] as string;
    const past = ["one", "re one", text, `re ${text}`, "then"];
    expect(saidIn(gateway.model.requests.at(-1))).toEqual(past);
  }
});

test("OAI-13: an earlier response is continued without what came after it", async () => {
  await using gateway = await start(echo);
  const { client } = gateway;
  const one = await say(client, "one");
  const two = await say(client, "two", one.id);
  await say(client, "three", two.id);
  const beside = await say(client, "beside", one.id);
  await say(client, "further", beside.id);
  expect(saidIn(gateway.model.requests.at(-1))).toEqual(["one", "re one", "beside", "re beside", "further"]);
});

test("OAI-13: another token's response is 404, also while its own token continues it", async () => {
  await using gateway = await start(echo);
  const { client } = gateway;
  const other = (await another(gateway)).client;
  const { id } = await say(client, "secret");
  const unknown = [404, "OPENAI_NO_RESPONSE", "previous_response_id"];
  const both = await Promise.all([failure(say(other, "and?", id)), failure(say(client, "and?", id))]);
  expect(both).toEqual([unknown, "worked"]);
  for (const work of [other.responses.retrieve(id), other.responses.delete(id)])
    expect(await failure(work)).toEqual([404, "OPENAI_NO_RESPONSE", "response_id"]);
  const item = { type: "item_reference" as const, id: id.replace("resp_", "msg_") + "0" };
  const referring = other.responses.create({ model, input: [item, { role: "user", content: "?" }] });
  expect(await failure(referring)).toEqual([404, "OPENAI_NO_ITEM", "input[0].id"]);
  expect(gateway.model.requests).toHaveLength(2);
});

test("OAI-13: with store false nothing is kept, though another response is continued", async () => {
  const configDir = await folder();
  await using gateway = await start(echo, {}, [], { store, configDir });
  const { client } = gateway;
  const { id } = await say(client, "one");
  const rows = (): unknown => {
    const db = new DatabaseSync(join(configDir, "state", "gantry.db"), { readOnly: true });
    try {
      const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
      return tables
        .map(({ name }) => String(name))
        .filter((name) => !name.startsWith("sqlite_"))
        .map((name) => [name, db.prepare(`SELECT * FROM "${name}"`).all()]);
    } finally {
      db.close();
    }
  };
  const before = rows();
  const unkept = { model, store: false, previous_response_id: id } as const;
  const made = await client.responses.create({ ...unkept, input: "not to be kept" });
  expect(saidIn(gateway.model.requests[1])).toEqual(["one", "re one", "not to be kept"]);
  const stream = client.responses.stream({ ...unkept, input: "nor this" });
  await stream.finalResponse();
  expect(rows()).toEqual(before);
  expect(await failure(client.responses.retrieve(made.id))).toContain(404);
});

test("OAI-13: a response is found and continued after a restart, and not once it is erased", async () => {
  const configDir = await folder();
  const first = await start(echo, {}, [], { store, configDir });
  const { token } = first;
  const made = await say(first.client, "remember me");
  await first.stop();

  await using gateway = await start(echo, {}, [], { store, configDir, token });
  const { client, host } = gateway;
  expect(await client.responses.retrieve(made.id)).toEqual(made);
  const second = await say(client, "and now?", made.id);
  expect(saidIn(gateway.model.requests[0])).toEqual(["remember me", "re remember me", "and now?"]);
  const [session] = await sessionsOf(gateway);
  expect(await host.slot(Store).erase(String(session?.owner))).toMatchObject({ sessions: 1 });
  for (const { id } of [made, second]) expect(await failure(client.responses.retrieve(id))).toContain(404);
});

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
