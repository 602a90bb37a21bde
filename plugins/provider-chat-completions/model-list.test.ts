import { expect, test } from "vitest";
import { createUpstream } from "../net-undici/upstream.ts";
import {
  chunk,
  collect,
  DONE,
  failureOf,
  json,
  provider,
  request,
  serve,
  stream,
  textOf,
} from "./chat.test-kit.ts";

const { signal } = new AbortController();
const ids = (...names: string[]) => ({ object: "list", data: names.map((id) => ({ id, object: "model" })) });

test.each([
  [ids("b", "a", "b"), ["b", "a"]],
  [{ models: [{ name: "x" }, { name: "y" }] }, ["x", "y"]],
  [[{ id: "bare" }], ["bare"]],
  [{ data: [] }, []],
])("PRV-12: the list %j names %j", async (body, expected) => {
  await using server = await serve((_, response) => json(response, 200, body));
  await using p = provider(`custom:${server.url}`, { api_key: "k" });
  expect(await p.models!(signal)).toEqual(expected);
  expect(server.asked[0]).toMatchObject({
    method: "GET",
    path: "/v1/models",
    headers: { authorization: "Bearer k" },
  });
});

test.each([404, 405, 501])("PRV-12: HTTP %s on /models is explained as optional", async (status) => {
  await using server = await serve((_, response) => json(response, status, { error: "nothing here" }));
  await using p = provider(`custom:${server.url}`);
  await expect(p.models!(signal)).rejects.toMatchObject({
    code: "CHAT_NO_MODEL_LIST",
    message: expect.stringMatching(
      /has no model list \(HTTP \d+\), which is optional.*set default_model.*send a test message/,
    ),
  });
  expect(await p.warmup!(signal)).toMatch(/answers; it has no model list, which is optional/);
});

test.each([
  [401, "PROVIDER_AUTH"],
  [500, "PROVIDER_SERVER"],
])("PRV-12: HTTP %s on /models is %s, for warmup too", async (status, code) => {
  await using server = await serve((_, response) =>
    json(response, status, { error: { message: "canary-key is bad" } }),
  );
  await using p = provider(`custom:${server.url}`, { api_key: "canary-key" });
  await expect(p.models!(signal)).rejects.toMatchObject({
    code,
    message: expect.not.stringContaining("canary"),
  });
  await expect(p.warmup!(signal)).rejects.toMatchObject({ code, exit: 1 });
});

test("PRV-12: what is no list is told as such, and a server that is not there as unreachable", async () => {
  const server = await serve((_, response) => response.end("<html>"));
  await using p = provider(`custom:${server.url}`);
  await expect(p.models!(signal)).rejects.toMatchObject({ code: "PROVIDER_MALFORMED" });
  await server[Symbol.asyncDispose]();
  await expect(p.models!(signal)).rejects.toMatchObject({ code: "PROVIDER_REFUSED" });
});

test("PRV-12: warmup says what answers, and the credential says only where it is from", async () => {
  await using server = await serve((_, response) => json(response, 200, ids("m")));
  await using p = provider("local-b", { api_url: server.url }, { LOCALA_API_KEY: "x" });
  expect(await p.warmup!(signal)).toBe(`local-b at ${server.url} answers and lists 1 model.`);
  expect(await p.credential!()).toBe("none");
  await using keyed = provider("custom:http://h", {}, { API_KEY: "canary-key" });
  expect(await keyed.credential!()).toBe("API_KEY env var");
});

test("PRV-04: without a configured model the only one of the server is used, and asked for once", async () => {
  await using server = await serve(({ path }, response) =>
    path === "/v1/models"
      ? json(response, 200, ids("the-one"))
      : stream(response, [chunk({ content: "ok" }, "stop"), DONE]),
  );
  await using p = provider("local-a", { api_url: server.url });
  await collect(p, request("hello", { model: undefined }));
  await collect(p, request("hello", { model: undefined }));
  expect(server.asked.map(({ path, body }) => [path, body?.model])).toEqual([
    ["/v1/models", undefined],
    ["/v1/chat/completions", "the-one"],
    ["/v1/chat/completions", "the-one"],
  ]);
});

test("PRV-13: a server with several models and no default is told which key to set, one with a default answers", async () => {
  let picky = true;
  await using server = await serve(({ path }, response) => {
    if (path === "/v1/models") json(response, 200, ids("first", "second"));
    else if (picky) json(response, 400, { error: { message: "you must provide a model parameter" } });
    else stream(response, [chunk({ content: "ok" }, "stop"), DONE]);
  });
  await using p = provider(`custom:${server.url}`);
  expect(failureOf(await collect(p, request("hello", { model: undefined })))).toMatchObject({
    code: "CHAT_NO_MODEL",
    message: expect.stringContaining(
      "offers 2 models and none is configured: set default_model, for example to `first`",
    ),
  });
  picky = false;
  expect(textOf(await collect(p, request("hello", { model: undefined })))).toBe("ok");
  expect(server.asked.at(-1)?.body).not.toHaveProperty("model");
});

test("PRV-04: a server without a list and without a configured model is asked for its own default", async () => {
  await using server = await serve(({ path }, response) =>
    path === "/v1/models"
      ? json(response, 404, {})
      : stream(response, [chunk({ content: "ok" }, "stop"), DONE]),
  );
  await using p = provider(`custom:${server.url}`);
  expect(textOf(await collect(p, request("hello", { model: undefined })))).toBe("ok");
});

test("PRV-14: HTTP_PROXY carries the calls of a provider, NO_PROXY spares them", async () => {
  await using server = await serve((_, response) => json(response, 200, ids("direct")));
  await using proxy = await serve((_, response) => json(response, 200, ids("through the proxy")));
  const env = { HTTP_PROXY: proxy.url.replace("/v1", "") };
  for (const [more, expected] of [
    [{}, "through the proxy"],
    [{ NO_PROXY: "127.0.0.1" }, "direct"],
  ] as const) {
    const upstream = createUpstream({ ...env, ...more });
    await using p = provider(`custom:${server.url}`, {}, {}, upstream);
    expect(await p.models!(signal)).toEqual([expected]);
  }
  expect(proxy.asked[0]?.path).toBe(`${server.url}/models`);
});
