import { expect, test } from "vitest";
import { Type } from "typebox";
import { definePlugin, defineTool, Tools } from "@gantry/sdk";
import { startTestHost } from "@gantry/sdk/testing";
import net from "../net-undici/index.ts";
import { chunk, DONE, serve, stream, usage } from "./chat.test-kit.ts";
import plugin from "./index.ts";

const clock = definePlugin({
  name: "tool-clock",
  provides: [Tools],
  setup(host) {
    host.provide(
      Tools,
      defineTool({
        name: "clock",
        description: "Tells the time.",
        input: Type.Object({}),
        run: async () => "it is noon",
      }),
    );
  },
});

const start = (config: Record<string, unknown>) => startTestHost({ plugins: [net, plugin, clock], config });

test("PRV-07: a whole turn through custom: calls a real tool and answers with what it said", async () => {
  await using server = await serve(({ body }, response) => {
    const told = body.messages.findLast((message: { role: string }) => message.role === "tool");
    const one = { index: 0, id: "call_7", function: { name: "clock", arguments: "{}" } };
    const pieces = told
      ? [chunk({ content: `So ${told.content}.` }), chunk({}, "stop")]
      : [chunk({ tool_calls: [one] }, "tool_calls")];
    stream(response, [...pieces, usage, DONE]);
  });
  await using t = await start({ default_provider: `custom:${server.url}`, default_model: "m", api_key: "k" });
  const result = await t.ask("what time is it?");
  expect(result.reply).toContain("it is noon");
  expect(result).toMatchObject({
    provider: `custom:${server.url}`,
    model: "m",
    stop_reason: "EndTurn",
    usage: { input_tokens: 14, output_tokens: 6, cached_tokens: 0, reasoning_tokens: 0 },
    tool_calls: [{ tool: "clock", decision: "allowed" }],
  });
  expect(server.asked.at(-1)?.body.messages.at(-1)).toMatchObject({ role: "tool", tool_call_id: "call_7" });
});

test("PRV-13: a turn whose provider refuses the key ends in that one sentence", async () => {
  await using server = await serve((_, response) => response.writeHead(401).end("canary-key is wrong"));
  await using t = await start({
    default_provider: `custom:${server.url}`,
    default_model: "m",
    api_key: "canary-key",
  });
  const result = await t.ask("hello");
  expect(result).toMatchObject({ stop_reason: "Error", error: { code: "PROVIDER_AUTH", status: 401 } });
  expect(JSON.stringify([result, t.logs, t.audit])).not.toContain("canary-key");
});

test.each(["local-a", "hostedllm", "openrouter", "messages-custom:http://h"])(
  "CFG-02: provider_api with default_provider = %s is a clear error at setup",
  async (id) => {
    const broken = start({ default_provider: id, provider_api: "responses" });
    await expect(broken).rejects.toMatchObject({
      exit: 2,
      message: expect.stringMatching(
        /`provider_api` is only valid with custom:<url>.*remove it, or set default_provider/,
      ),
    });
  },
);

test("CFG-02: provider_api with custom: is taken, agent.provider counts before default_provider, other words are refused", async () => {
  await using custom = await start({ default_provider: "custom:http://h", provider_api: "chat-completions" });
  expect(custom.logs.filter(({ level }) => level === "error")).toEqual([]);
  await expect(
    start({ default_provider: "custom:http://h", agent: { provider: "local-a" }, provider_api: "responses" }),
  ).rejects.toThrow(/`local-a`/);
  await expect(start({ default_provider: "custom:http://h", provider_api: "socket" })).rejects.toMatchObject({
    code: "CONFIG_WRONG_TYPE",
  });
});

test("CFG-02: without a configured provider, provider_api stops a turn that asks for another kind", async () => {
  await using t = await start({ provider_api: "responses" });
  await expect(t.resolveProvider({ provider: "local-a", model: undefined })).rejects.toThrow(
    /`provider_api` is only valid with custom:<url>/,
  );
  expect(await t.resolveProvider({ provider: "custom:http://h", model: undefined })).toMatchObject({
    name: "custom:http://h",
  });
});

test("PRV-04: api_url beside a provider that it cannot move is said in the log", async () => {
  await using moved = await start({ default_provider: "local-a-server", api_url: "http://10.0.0.5/v1" });
  expect(moved.logs.filter(({ level }) => level === "warn")).toEqual([]);
  await using idle = await start({ default_provider: "custom:http://h", api_url: "http://10.0.0.5/v1" });
  expect(idle.logs.map(({ message }) => message).join()).toMatch(
    /api_url moves only local-a, local-b and local-c/,
  );
});

test("CFG-01: ids, aliases, services and addresses are resolved, and the same one is given again", async () => {
  await using t = await start({ endpoints: { hosted_url: "https://hosted.test" } });
  for (const [id, name] of [
    ["local-a-server", "local-a"],
    ["hosted", "hostedllm"],
    ["openrouter", "openrouter"],
    ["custom:https://h/v1/", "custom:https://h/v1"],
  ] as const) {
    const found = await t.resolveProvider({ provider: id, model: undefined });
    expect(found.name).toBe(name);
    expect(await t.resolveProvider({ provider: id, model: "x" })).toBe(found);
  }
  await expect(t.resolveProvider({ provider: "nobody", model: undefined })).rejects.toMatchObject({
    code: "PROVIDER_UNKNOWN",
  });
  await expect(t.resolveProvider({ provider: undefined, model: undefined })).rejects.toMatchObject({
    code: "NO_PROVIDER",
  });
});

test("CFG-01: a custom address without a scheme is refused with the cure", async () => {
  await using t = await start({});
  await expect(t.resolveProvider({ provider: "custom:host/v1", model: undefined })).rejects.toThrow(
    /write it with http:\/\/ or https:\/\//,
  );
});
