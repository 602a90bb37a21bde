import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Store, type ChatRequest, type Plugin } from "@gantry/sdk";
import { expect, test } from "vitest";
import storeSqlite from "../store-sqlite/index.ts";
import { echo, failure, folder, model, saidIn, say, sessionsOf } from "./kept-responses.test-kit.ts";
import { another, start } from "./openai.test-kit.ts";

const store: Plugin = storeSqlite;

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
