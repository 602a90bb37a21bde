import { bundledPlugin, fakeProvider, memoryStore } from "@gantry/sdk/testing";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { tool } from "../../test/helpers/plugins.ts";
import { startGateway } from "../gateway-http/gateway.test-kit.ts";
import plugin from "./index.ts";

const hello = { messages: [{ role: "user" as const, content: "hello" }] };

/** Starts a gateway with two agents, and the official client of a device with these scopes. */
async function start(may: string, routes: readonly object[] = []) {
  const model = fakeProvider(["Good day."]);
  const several = await bundledPlugin("agent-routes");
  const agents = { a: { instructions: "You are A.", tools: ["clock"] }, b: { instructions: "You are B." } };
  const gateway = await startGateway({
    plugins: [
      memoryStore(),
      model,
      plugin,
      several,
      tool("clock", async () => "noon"),
      tool("burn", async () => ""),
    ],
    config: { agents, routes },
  });
  const { out } = await gateway.word("pair new", [], { may, name: "laptop" });
  const [, code = ""] = /(\d{6,})/.exec(out) ?? [];
  const { json } = await gateway.ask("/pair", { method: "POST", body: { code } });
  const baseURL = `${gateway.url}/v1`;
  const client = new OpenAI({ baseURL, apiKey: json.token, maxRetries: 0 });
  return Object.assign(gateway, { client, model, token: json.token as string });
}

test("AGT-14: each agent is a model of /v1, listed, found and answering as itself", async () => {
  await using gateway = await start("talk,read,decide,manage");
  const { client, model, token } = gateway;
  const ids = (await client.models.list()).data.map(({ id }) => id);
  expect(ids).toEqual(["gantry", "gantry-plain", "gantry/a", "gantry/b"]);
  expect((await gateway.ask("/v1/models/gantry/a", { token })).json).toMatchObject({ id: "gantry/a" });
  expect((await gateway.ask("/v1/models/gantry/c", { token })).json.error.message).toContain("gantry/b");
  await client.chat.completions.create({ ...hello, model: "gantry/a" });
  await client.chat.completions.create({ ...hello, model: "gantry" });
  const [asA, plain] = model.requests;
  expect(asA?.tools.map(({ name }) => name)).toEqual(["clock"]);
  expect(JSON.stringify(asA?.messages)).toContain("You are A.");
  expect(plain?.tools.map(({ name }) => name)).toEqual(["burn", "clock"]);
});

test("AGT-14: whom the routes give an agent no program of theirs gives another", async () => {
  await using gateway = await start("talk", [{ channel: "openai", agent: "a" }]);
  const { client, model } = gateway;
  await client.chat.completions.create({ ...hello, model: "gantry" });
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("You are A.");
  const refused = client.chat.completions.create({ ...hello, model: "gantry/b" });
  await expect(refused).rejects.toMatchObject({ code: "AGENT_NOT_HERE" });
  expect(model.requests).toHaveLength(1);
});

test("AGT-14: a response of one agent is continued by no other", async () => {
  await using gateway = await start("talk");
  const { client, model } = gateway;
  const { id } = await client.responses.create({ model: "gantry/a", input: "my secret" });
  const other = { model: "gantry/b", input: "what was it?", previous_response_id: id };
  const refused = client.responses.create(other);
  await expect(refused).rejects.toMatchObject({ status: 400, code: "OPENAI_OTHER_AGENT" });
  const again = await client.responses.create({ ...other, model: "gantry/a" });
  expect(again.output_text).toBe("Good day.");
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("my secret");
  expect(model.requests).toHaveLength(2);
});
