import { Channels, textParts } from "@gantry/sdk";
import { splitText, trustOf } from "@gantry/sdk/channel";
import { fakeProvider, memoryStore } from "@gantry/sdk/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  accessToken,
  delivery,
  message,
  secret,
  startChatapp,
  startGraph,
  type TestChatapp,
} from "./chatapp.test-kit.ts";

const { signal: idle } = new AbortController();

function send(chatapp: TestChatapp, text: string) {
  return chatapp.host
    .slot(Channels)
    .get("chatapp")!
    .send({ to: "+15551234567", parts: textParts(text), key: text }, idle);
}

test("CHA-03: a delivered text is answered through the platform's API with the exact body and the access token as Bearer", async () => {
  await using graph = await startGraph();
  await using chatapp = await startChatapp({ graph });
  const response = await chatapp.deliver(delivery(message("hi")));
  expect([response.status, await response.json()]).toEqual([200, { status: "ok" }]);
  await graph.count(1);
  const [call] = graph.calls;
  expect([call?.method, call?.path, call?.headers.authorization]).toEqual([
    "POST",
    "/v18.0/1234567890/messages",
    `Bearer ${accessToken}`,
  ]);
  expect(call?.headers["content-type"]).toBe("application/json");
  expect(call?.body).toEqual({
    messaging_product: "whatsapp",
    recipient_type: "individual",
    to: "15551234567",
    type: "text",
    text: { preview_url: false, body: "hello there" },
  });
});

test.each([401, 403])(
  "CHA-03: ERR-01: INB-02: `API error: %i` is logged once with its cause, without a secret, and the reply is kept",
  async (status) => {
    await using graph = await startGraph();
    await using chatapp = await startChatapp({ graph });
    const said = `Malformed access token ${accessToken} for Bearer ${accessToken}, app ${secret}, access_token=EAAother123456`;
    const refusal = { status, body: { error: { message: said, code: 190 } } };
    graph.answers.push(refusal, refusal);
    const sent = await send(chatapp, "hello");
    expect(sent).toMatchObject({
      status: "retry",
      scope: "channel",
      reason: expect.stringContaining(`API error: ${status} (Malformed access token ***`),
    });
    await chatapp.deliver(delivery(message("hi")));
    await graph.count(3);
    const lines = chatapp.host.logs.filter(({ message: line }) => line.includes(`API error: ${status}`));
    expect(lines.map(({ level }) => level)).toEqual(["error"]);
    const everything = JSON.stringify([sent, chatapp.host.logs, chatapp.host.audit]);
    for (const hidden of [accessToken, secret, "EAAother123456"]) expect(everything).not.toContain(hidden);
    expect(graph.calls.at(-1)?.body.text.body).toBe("hello there");
  },
);

test.each([
  [400, "refused"],
  [404, "refused"],
  [302, "refused"],
  [408, "retry"],
  [429, "retry"],
  [500, "retry"],
  [503, "retry"],
])("CHA-03: the platform's %i means %s", async (status, outcome) => {
  await using graph = await startGraph();
  await using chatapp = await startChatapp({ graph });
  graph.answers.push({ status, body: "no JSON object" });
  expect(await send(chatapp, "hello")).toEqual({
    status: outcome,
    reason: expect.stringContaining(`API error: ${status}`),
  });
});

test("CHA-03: a platform that cannot be reached, or hangs up, means another try", async () => {
  const graph = await startGraph();
  await using chatapp = await startChatapp({ graph });
  await graph[Symbol.asyncDispose]();
  expect(await send(chatapp, "hello")).toMatchObject({
    status: "retry",
    reason: expect.stringContaining("127.0.0.1"),
  });
});

test("INB-02: the time that the platform names in Retry-After comes back with the answer", async () => {
  await using graph = await startGraph();
  await using chatapp = await startChatapp({ graph });
  graph.answers.push({ status: 429, headers: { "retry-after": "7" } });
  expect(await send(chatapp, "hello")).toMatchObject({ status: "retry", afterMs: 7_000 });
});

test("CHA-03: sending that is cancelled answers, and never throws", async () => {
  await using graph = await startGraph();
  await using chatapp = await startChatapp({ graph });
  graph.answers.push({ status: 200, never: true });
  const message = { to: "+1555", parts: textParts("x"), key: "x" };
  const sent = chatapp.host.slot(Channels).get("chatapp")!.send(message, AbortSignal.timeout(100));
  expect(await sent).toMatchObject({ status: "retry" });
});

test.each([
  ["http://graph.example", "1"],
  ["http://127.0.0.1:9", undefined],
  ["http://127.0.0.1:9", "0"],
  ["http://127.0.0.1.example:9", "1"],
  ["http://localhost.example", "1"],
  ["http://user@evil.example#@127.0.0.1", "1"],
  ["ftp://127.0.0.1", "1"],
  ["graph.example", "1"],
])("CHA-03: ERR-01: to %s (SERVICE_ALLOW_INSECURE_LOOPBACK=%s) nothing is sent", async (graph_url, allow) => {
  await using graph = await startGraph();
  const env = { SERVICE_ALLOW_INSECURE_LOOPBACK: allow ?? "" };
  await using chatapp = await startChatapp({
    env,
    config: { endpoints: { graph_url: graph_url.replace(":9", `:${new URL(graph.url).port}`) } },
  });
  expect(await send(chatapp, "hello")).toEqual({
    status: "retry",
    scope: "channel",
    reason: expect.stringContaining("is not an https:// address"),
  });
  expect(await chatapp.check("chatapp-doctor")).toContainEqual(
    expect.objectContaining({ what: "chatapp account", state: "fail" }),
  );
  expect(graph.calls).toEqual([]);
});

test("CHA-03: a long reply goes out in messages of at most 4,096 characters, in order, and nothing is lost", async () => {
  await using graph = await startGraph();
  const long = Array.from({ length: 2_000 }, (_, i) => `word${i}`).join(" ");
  await using chatapp = await startChatapp({ graph, plugins: [memoryStore(), fakeProvider([long])] });
  await chatapp.deliver(delivery(message("tell me")));
  await graph.count(5);
  const parts: string[] = graph.calls.map(({ body }) => body.text.body);
  expect(parts.join(" ").replace(/\s+/g, " ")).toBe(long);
  expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(4_096);
});

test("CHA-03: another try of a long reply sends only what did not go out", async () => {
  await using graph = await startGraph();
  await using chatapp = await startChatapp({ graph });
  const long = ["a", "b", "c"].map((letter) => letter.repeat(4_050)).join(" ");
  graph.answers.push({ status: 200 }, { status: 500 });
  expect(await send(chatapp, long)).toMatchObject({ status: "retry" });
  expect(await send(chatapp, long)).toMatchObject({ status: "sent" });
  expect(graph.calls.map(({ body }) => body.text.body[0]).join("")).toBe("abbc");
  expect(await send(chatapp, long)).toMatchObject({ status: "sent" });
  expect(graph.calls).toHaveLength(7);
});

test("CHA-03: splitting keeps every character but the white space it breaks at, and no half of a pair", () => {
  const text = fc.string({ unit: fc.constantFrom("a", " ", "\n", "😀", "é"), maxLength: 200 });
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 20 }), (whole, max) => {
      const parts = splitText(whole, max);
      expect(parts.every((part) => part.length <= max && part.isWellFormed())).toBe(true);
      expect(parts.join("").replace(/\s/g, "")).toBe(whole.replace(/\s/g, ""));
    }),
  );
});

test("CHA-05: channel doctor asks the platform for the phone number, and says what is wrong", async () => {
  await using graph = await startGraph();
  await using chatapp = await startChatapp({ graph });
  expect(await chatapp.check("chatapp")).toEqual([
    { what: "chatapp", state: "ok", detail: expect.stringContaining("1234567890") },
  ]);
  const [call] = graph.calls;
  expect([call?.method, call?.path, call?.headers.authorization]).toEqual([
    "GET",
    "/v18.0/1234567890",
    `Bearer ${accessToken}`,
  ]);
  for (const status of [401, 403, 404, 500]) {
    graph.answers.push({ status, body: { error: { message: `no ${accessToken}` } } });
    expect(await chatapp.check("chatapp")).toMatchObject([
      { state: "fail", detail: expect.stringContaining(`API error: ${status} (no ***)`) },
    ]);
  }
});

test.each<[Parameters<typeof trustOf>[1], Record<string, string | undefined>]>([
  [
    { allowed: ["+1"], owners: [] },
    { "+1": "owner", "+2": undefined, "*": undefined, "": undefined },
  ],
  [
    { allowed: ["+1", "+2"], owners: [] },
    { "+1": "member", "+2": "member", "1": undefined },
  ],
  [
    { allowed: ["+1", "+2"], owners: ["+2"] },
    { "+1": "member", "+2": "owner" },
  ],
  [
    { allowed: ["+1"], owners: ["+2"] },
    { "+1": "member", "+2": "owner", "+3": undefined },
  ],
  [
    { allowed: ["*", "+1"], owners: [] },
    { "+1": "member", "+3": "guest", "*": "guest" },
  ],
  [
    { allowed: ["*"], owners: ["+2"] },
    { "+2": "owner", "+3": "guest" },
  ],
  [{ allowed: [], owners: [] }, { "+1": undefined }],
])("CHA-02: with %j numbers are trusted as %j", (settings, trust) => {
  for (const [number, step] of Object.entries(trust)) {
    expect([number, trustOf(number, settings)]).toEqual([number, step]);
  }
});
