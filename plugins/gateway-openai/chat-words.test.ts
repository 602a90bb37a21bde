import { Store } from "@gantry/sdk";
import { bundledPlugin } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { tool } from "../../test/helpers/plugins.ts";
import { echo, saidIn, say, sessionsOf } from "./kept-responses.test-kit.ts";
import { start } from "./openai.test-kit.ts";

test.each(["/new", "/nosuch word", " /help"])(
  "OAI-13: %s is no word of a chat in a response, and the model is told it",
  async (text) => {
    const words = await bundledPlugin("slash-words");
    await using gateway = await start(echo, {}, [words]);
    const { client } = gateway;
    const one = await say(client, "one");
    const two = await say(client, text, one.id);
    expect(saidIn(gateway.model.requests.at(-1))).toEqual(["one", "re one", text.trim()]);
    for (const { id } of [two, one]) await client.responses.delete(id);
    expect(await sessionsOf(gateway)).toEqual([]);
  },
);

test("OAI-13: a response of more than 4 MiB is answered and not kept", async () => {
  await using gateway = await start(["short", "short", "short"]);
  const { client, host } = gateway;
  const input = Array.from({ length: 3 }, () => ({ role: "user", content: "x".repeat(1_500_000) }));
  const one = await say(client, "one");
  const previous_response_id = one.id;
  const { id } = await client.responses.create({
    model: "gantry",
    previous_response_id,
    input: input as never,
  });
  await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
  expect((await host.slot(Store).values.list("session-responses", { limit: 9 })).length).toBe(1);
  await say(client, "two", one.id);
  expect(saidIn(gateway.model.requests.at(-1))).toEqual(["one", "short", "two"]);
});

test.each([true, false])(
  "OAI-09: a tool's question for words is cancelled at once, streamed: %s",
  async (stream) => {
    const asks = await bundledPlugin("ask-words");
    const wants = tool("wants", async (run: any) => JSON.stringify(await run.ask({ text: "Name?" })));
    await using gateway = await start([{ calls: [{ name: "wants", args: {} }] }, "Done."], {}, [wants, asks]);
    const body = { model: "gantry", input: "go", stream };
    const headers = { "X-Gantry-Approvals": "wait" };
    const { text } = await gateway.ask("/v1/responses", { body, token: gateway.token, headers });
    expect(text).toContain("Done.");
    expect(JSON.stringify(gateway.model.requests[1]?.messages)).toContain("cancel");
  },
);
