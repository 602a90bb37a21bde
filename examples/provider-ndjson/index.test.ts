import { expect, test } from "vitest";
import { Upstream } from "@gantry/sdk";
import { checkPlugin, fakeNet, providerContract, startTestHost, type FakeReply } from "@gantry/sdk/testing";
import plugin from "./index.ts";
import { ndjson } from "./ndjson.ts";

const answer: FakeReply = {
  pieces: [
    '{"message":{"content":"Good "}}\n{"mess',
    'age":{"content":"day."}}\n',
    '{"done":true,"prompt_eval_count":7,"eval_count":3}\n',
  ],
};
const net = (...replies: FakeReply[]) =>
  fakeNet([{ url: "http://localhost:11434/api/chat", method: "POST", replies }]);
const config = { default_provider: "ndjson", default_model: "small" };

test("SDK-05: a turn is answered from lines of JSON that come in pieces", async () => {
  const server = net(answer);
  await using t = await startTestHost({ plugins: [plugin, server], config });
  expect(await t.ask("hello")).toMatchObject({
    reply: "Good day.",
    stop_reason: "EndTurn",
    usage: { input_tokens: 7, output_tokens: 3, cached_tokens: 0, reasoning_tokens: 0 },
  });
  expect(JSON.parse(String(server.requests[0]?.body))).toMatchObject({ model: "small", stream: true });
});

test("SDK-05: a server that fails or breaks off ends the turn with one sentence", async () => {
  for (const [reply, code] of [
    [{ status: 404, body: "no such model" }, "PROVIDER_MODEL_UNKNOWN"],
    [{ pieces: ['{"message":{"content":"Go'] }, "PROVIDER_MALFORMED"],
    [{ fails: "refused" }, "PROVIDER_REFUSED"],
  ] as const) {
    await using t = await startTestHost({ plugins: [plugin, net(reply)], config });
    expect((await t.ask("hello")).error?.code).toBe(code);
  }
});

test("SDK-05: the provider keeps the contract of its kind", async () => {
  await using t = await startTestHost({ plugins: [net(answer)] });
  const provider = ndjson(t.slot(Upstream), "http://localhost:11434");
  for (const { run } of providerContract({ provider, model: "small" }))
    await expect(run()).resolves.toBeUndefined();
  expect((await checkPlugin({ plugin })).findings).toEqual([]);
});
