import { expect, test } from "vitest";
import { startTestHost } from "@gantry/sdk/testing";
import net from "../net-undici/index.ts";
import plugin from "./index.ts";
import { begin, collect, end, json, provider, request, say, serve, stream } from "./messages.test-kit.ts";
import { serverOf } from "./server.ts";

const { signal } = new AbortController();
const start = (config: Record<string, unknown>) => startTestHost({ plugins: [net, plugin], config });
const id = "messages-custom:http://h";
const sourceOf = (config: object, env: Record<string, string>) =>
  serverOf(id, { default_provider: id, providers: {}, ...config }, env)?.source;

test("PRV-02: a whole turn through messages-custom:", async () => {
  await using server = await serve((_, response) =>
    stream(response, [begin, ...say("Good day."), ...end("end_turn")]),
  );
  const named = `messages-custom:${server.url}`;
  await using t = await start({ default_provider: named, default_model: "m", api_key: "k" });
  expect(await t.ask("hello")).toMatchObject({
    reply: "Good day.",
    provider: named,
    stop_reason: "EndTurn",
    usage: { input_tokens: 11, output_tokens: 5 },
  });
});

test("PRV-03: api_key wins over SERVICE_API_KEY and API_KEY; variables of vendors are not used", async () => {
  const env = { SERVICE_API_KEY: "s", API_KEY: "a", ANTHROPIC_API_KEY: "x" };
  expect(sourceOf({ api_key: "k" }, env)).toBe("config");
  expect(sourceOf({}, env)).toBe("SERVICE_API_KEY env var");
  expect(sourceOf({}, { API_KEY: "a", ANTHROPIC_API_KEY: "x" })).toBe("API_KEY env var");
  expect(sourceOf({}, { ANTHROPIC_API_KEY: "x" })).toBe("none");
  expect(sourceOf({}, { SERVICE_API_KEY: " ", API_KEY: "a" })).toBe("API_KEY env var");
  await using server = await serve((_, response) =>
    stream(response, [begin, ...say("x"), ...end("end_turn")]),
  );
  await using own = provider(
    server.url,
    { api_key: "k", providers: { "messages-custom": { api_key: "own" } } },
    env,
  );
  await collect(own, request("hello"));
  expect(server.asked.pop()?.headers).toMatchObject({ authorization: "Bearer own" });
  await using p = provider(server.url, {}, { ...env, SERVICE_API_KEY: "s\n" });
  await collect(p, request("hello"));
  expect(server.asked[0]?.headers).toMatchObject({ authorization: "Bearer s" });
  expect(server.asked[0]?.headers).not.toHaveProperty("x-api-key");
});

test("CFG-01: an address without a scheme is refused with the cure; another provider's id is left alone", async () => {
  await using t = await start({});
  await expect(t.resolveProvider({ provider: "messages-custom:host", model: undefined })).rejects.toThrow(
    /write it with http:\/\/ or https:\/\//,
  );
  await expect(t.resolveProvider({ provider: "custom:http://h", model: undefined })).rejects.toMatchObject({
    code: "PROVIDER_UNKNOWN",
  });
  const found = await t.resolveProvider({
    provider: "messages-custom:https://me:secret@h/?k=1",
    model: undefined,
  });
  expect(found.name).toBe("messages-custom:https://h");
});

test.each([404, 200])(
  "PRV-12: where %i without a list answers at /models, it is looked for at /v1/models",
  async (status) => {
    await using server = await serve(({ path }, response) =>
      path === "/v1/models"
        ? json(response, 200, { data: [{ id: "m-1" }] })
        : json(response, status, { hello: "there" }),
    );
    await using p = provider(server.url);
    expect(await p.models!(signal)).toEqual(["m-1"]);
  },
);

test("PRV-12: the models are listed; a missing list is explained as optional", async () => {
  let status = 200;
  await using server = await serve((_, response) =>
    json(response, status, { data: [{ type: "model", id: "m-1" }, { id: "m-2" }, { id: "m-2" }] }),
  );
  await using p = provider(server.url, { api_key: "k" });
  expect(await p.models!(signal)).toEqual(["m-1", "m-2"]);
  expect(server.asked[0]).toMatchObject({
    path: "/models",
    headers: { authorization: "Bearer k", "anthropic-version": "2023-06-01" },
  });
  expect(await p.warmup!(signal)).toBe(`messages-custom:${server.url} answers and lists 2 models.`);
  status = 404;
  await expect(p.models!(signal)).rejects.toMatchObject({
    code: "MESSAGES_NO_MODEL_LIST",
    message: expect.stringContaining("optional"),
  });
  expect(await p.warmup!(signal)).toMatch(/no model list, which is optional/);
  status = 401;
  await expect(p.warmup!(signal)).rejects.toMatchObject({ code: "PROVIDER_AUTH" });
});
