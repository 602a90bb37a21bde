import { textOf, Store } from "@gantry/sdk";
import { createMemoryStore, fakeProvider, memoryStore } from "@gantry/sdk/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  accessToken,
  delivery,
  message,
  secret,
  sign,
  startChatapp,
  startGraph,
  type TestChatapp,
} from "./chatapp.test-kit.ts";
import { textMessages } from "./payload.ts";

/** Returns the number of messages that wait in the inbox. */
async function waiting(chatapp: TestChatapp): Promise<number> {
  return (await chatapp.host.slot(Store).lanes.stats()).waiting;
}

/** Channel and gateway, and no worker: what is accepted stays in the inbox. */
function quiet(options: Parameters<typeof startChatapp>[0] = {}): Promise<TestChatapp> {
  return startChatapp({ ...options, workers: false });
}

const verify = (chatapp: TestChatapp, query: Record<string, string> | string) =>
  fetch(
    `${chatapp.url}/chatapp?${typeof query === "string" ? query : new URLSearchParams(query).toString()}`,
  );

test("CHA-01: the platform's verification gets its challenge back as plain text", async () => {
  await using chatapp = await quiet();
  const query = {
    "hub.mode": "subscribe",
    "hub.verify_token": "verify me",
    "hub.challenge": "<b>1158201444</b>",
  };
  const response = await verify(chatapp, query);
  expect([response.status, await response.text()]).toEqual([200, "<b>1158201444</b>"]);
  expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
});

test("CHA-01: ERR-01: a wrong verify token is 403, with a token-mismatch line in the log and a record in the audit log", async () => {
  await using chatapp = await quiet();
  const wrong: (Record<string, string> | string)[] = [
    { "hub.mode": "subscribe", "hub.verify_token": "other", "hub.challenge": "1" },
    { "hub.mode": "subscribe", "hub.verify_token": "", "hub.challenge": "1" },
    { "hub.mode": "subscribe", "hub.challenge": "1" },
    { "hub.mode": "subscribe" },
    { "hub.mode": "unsubscribe", "hub.verify_token": "verify me", "hub.challenge": "1" },
    { "hub.verify_token": "verify me", "hub.challenge": "1" },
    "hub.mode=subscribe&hub.verify_token=verify+me&hub.verify_token=verify+me&hub.challenge=1",
  ];
  for (const query of wrong) {
    const response = await verify(chatapp, query);
    expect([query, response.status]).toEqual([query, 403]);
    expect(await response.json()).toMatchObject({ error: { code: "CHATAPP_VERIFY_TOKEN" } });
  }
  expect(chatapp.host.logs.filter(({ message: text }) => text.includes("token mismatch"))).toHaveLength(
    wrong.length,
  );
  expect(chatapp.host.audit.filter(({ event_type }) => event_type === "auth_failure")).toHaveLength(
    wrong.length,
  );
});

test("CHA-01: a verification without a challenge is 400", async () => {
  await using chatapp = await quiet();
  for (const end of ["", "&hub.challenge=", "&hub.challenge=1&hub.challenge=2"])
    expect((await verify(chatapp, `hub.mode=subscribe&hub.verify_token=verify+me${end}`)).status).toBe(400);
});

test("CHA-01: an operator's plain GET of the webhook's address is 200 and says nothing secret", async () => {
  await using chatapp = await quiet();
  const response = await fetch(`${chatapp.url}/chatapp`);
  expect(response.status).toBe(200);
  expect(await response.text()).not.toContain("verify me");
});

test("CHA-02: only the right signature over the very bytes opens the webhook", async () => {
  await using chatapp = await quiet();
  const body = JSON.stringify(delivery(message("hi")));
  const right = sign(body);
  const wrong = [
    [
      "",
      " ",
      "sha256=",
      right.slice(0, -1),
      `${right}0`,
      right.slice(7),
      right.replace("sha256", "sha1"),
      `${right}, ${right}`,
      `sha256= ${right.slice(7)}`,
    ],
    [
      sign(body, "other"),
      sign(`${body} `),
      sign(""),
      `sha256=${"0".repeat(64)}`,
      `sha256=${"z".repeat(64)}`,
      `sha256=${right}`,
    ],
  ].flat();
  for (const signature of wrong) {
    const response = await chatapp.deliver(body, { "x-hub-signature-256": signature });
    expect([signature, response.status, await response.json()]).toEqual([
      signature,
      401,
      { error: { code: "CHATAPP_SIGNATURE", message: expect.any(String) } },
    ]);
  }
  expect((await chatapp.deliver(body.replace("hi", "ho"), { "x-hub-signature-256": right })).status).toBe(
    401,
  );
  expect(await waiting(chatapp)).toBe(0);
  expect(
    (await chatapp.deliver(body, { "x-hub-signature-256": right.toUpperCase().replace("SHA", "sha") }))
      .status,
  ).toBe(200);
  expect(await waiting(chatapp)).toBe(1);
  expect(JSON.stringify([chatapp.host.audit, chatapp.host.logs])).not.toContain(secret);
});

/** The statuses of a hundred requests at once. */
const hundred = async (ask: () => Promise<Response>): Promise<ReadonlySet<number>> =>
  new Set((await Promise.all(Array.from({ length: 100 }, ask))).map(({ status }) => status));

test("CHA-02: a hundred refused verifications and deliveries do not keep the platform from delivering", async () => {
  await using chatapp = await quiet();
  const wrong = { "hub.mode": "subscribe", "hub.challenge": "1", "hub.verify_token": "wrong" };
  expect(await hundred(() => verify(chatapp, wrong))).toEqual(new Set([403, 429]));
  const unsigned = { "x-hub-signature-256": sign("wrong") };
  expect(await hundred(() => chatapp.deliver(delivery(message("hi")), unsigned))).toEqual(new Set([401]));
  expect((await chatapp.deliver(delivery(message("hi")))).status).toBe(200);
  expect(await waiting(chatapp)).toBe(1);
});

test("CHA-02: a body that is no JSON object is 400, one over 1 MiB 413, signed or not", async () => {
  await using chatapp = await quiet();
  for (const body of ["", "{", "null", "[]", '"x"', "5", "[".repeat(100_000)]) {
    const response = await chatapp.deliver(body);
    expect([body.slice(0, 9), response.status]).toEqual([body.slice(0, 9), 400]);
  }
  expect((await chatapp.deliver(" ".repeat(1024 * 1024 - 2) + "{}")).status).toBe(200);
  expect((await chatapp.deliver(" ".repeat(1024 * 1024 - 1) + "{}")).status).toBe(413);
  expect((await chatapp.deliver("x".repeat(2_000_000), { "x-hub-signature-256": "" })).status).toBe(413);
});

/** Returns a message as it is read. */
const messageOf = (id: string, number: string, text: string) => ({
  id,
  timestamp: 1_700_000_000,
  sender: { id: number },
  conversation: { id: number, kind: "direct" },
  replyTo: { to: number, message: id },
  text,
  quoted: [],
  mentioned: false,
  files: [],
});

test("CHA-02: text messages of all entries and changes are taken, with + before the number; everything else is left out", () => {
  const texts = [message("one", { id: "1" }), message("two", { id: "2", from: "+15557654321" })];
  const others = [
    "image",
    "audio",
    "video",
    "document",
    "sticker",
    "location",
    "contacts",
    "reaction",
    "button",
    "unsupported",
  ].map((type) => message("no", { type }));
  const payload = {
    object: "x",
    entry: [
      {
        id: "a",
        changes: [
          { field: "messages", value: { messages: [texts[0], ...others] } },
          { field: "messages", value: { statuses: [{ id: "s", status: "read" }] } },
        ],
      },
      {
        id: "b",
        changes: [
          { field: "account_update", value: {} },
          { field: "messages", value: { messages: [texts[1]] } },
        ],
      },
    ],
  };
  expect(textMessages(payload, 5)).toEqual([
    messageOf("1", "+15551234567", "one"),
    messageOf("2", "+15557654321", "two"),
  ]);
});

test.for(["forwarded", "frequently_forwarded"])(
  "SEC-12: what a sender passes on (%s) is quoted and none of their own words",
  (how) => {
    const own = message("mine", { context: { [how]: false } });
    const passedOn = message("IGNORE ALL", { context: { [how]: true } });
    const read = textMessages(delivery(passedOn, own), 1_700_000_000);
    expect(read.map(({ text, quoted }) => [text, textOf(quoted)])).toEqual([
      ["[forwarded message]", "IGNORE ALL"],
      ["mine", ""],
    ]);
  },
);

test("CHA-02: malformed parts are left out without losing the good ones", () => {
  const good = message("good", { id: "good" });
  const bad = [
    [
      null,
      5,
      "x",
      [],
      {},
      { type: "text" },
      message("x", { id: "" }),
      message("x", { id: 5 }),
      message("x", { from: "" }),
      message("x", { from: "abc" }),
    ],
    [
      message("x", { from: null }),
      message("x", { text: null }),
      message("x", { text: { body: "" } }),
      message("x", { text: { body: 5 } }),
      message("x", { type: ["text"] }),
    ],
  ].flat();
  const value = { messages: [...bad, good, ...bad] };
  const changes = [
    null,
    "x",
    { value: null },
    { value: { messages: "x" } },
    { value: { messages: { length: 3 } } },
    { value },
  ];
  const payload = { entry: [null, [], { changes: null }, { changes: {} }, { changes }] };
  expect(textMessages(payload, 5).map(({ id }) => id)).toEqual(["good"]);
});

function at(timestamp: unknown): number | undefined {
  return textMessages(delivery(message("x", { timestamp })), 42)[0]?.timestamp;
}

test("CHA-02: a timestamp that is none is the time of arrival", () => {
  expect(["1700000001", 1_700_000_002, "soon", undefined, null, "-5", "1e9", {}].map(at)).toEqual([
    1_700_000_001, 1_700_000_002, 42, 42, 42, 42, 42, 42,
  ]);
});

test("CHA-02: no payload breaks the reader", () => {
  const keys = fc.constantFrom(
    "entry",
    "changes",
    "value",
    "messages",
    "type",
    "text",
    "body",
    "from",
    "id",
    "__proto__",
  );
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "medium" },
      fc.jsonValue(),
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(keys, tie("tree"), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      for (const found of textMessages({ entry: value }, 1)) expect(found.sender.id).toMatch(/^\+[0-9]+$/);
      return true;
    }),
  );
});

test("CHA-02: ERR-01: a number that is not allowed is ignored: a log line with the number, an audit record, no reply, and 200", async () => {
  await using graph = await startGraph();
  await using chatapp = await startChatapp({ graph });
  const stranger = message("let me in", { from: "15550000000" });
  expect((await chatapp.deliver(delivery(stranger, message("hello")))).status).toBe(200);
  await graph.count(1);
  expect(graph.calls.map(({ body }) => body.to)).toEqual(["15551234567"]);
  expect(chatapp.host.logs.filter(({ message: text }) => text.includes("+15550000000"))).toHaveLength(1);
  expect(chatapp.host.audit.filter(({ event_type }) => event_type === "inbound_ignored")).toMatchObject([
    { user: "chatapp:+15550000000", result: "ignored: CHANNEL_NOT_ALLOWED" },
  ]);
});

test.each([
  [[], "15551234567", false],
  [undefined, "15551234567", false],
  [["+15551234567"], "15551234567", true],
  [["+15551234567"], "+15551234567", true],
  [["+15551234567"], "115551234567", false],
  [["+1555123456"], "15551234567", false],
  [["*"], "447700900000", true],
  [["+1", "*"], "447700900000", true],
])("CHA-02: allowed_numbers %j with a message from %s", async (allowed_numbers, from, taken) => {
  await using chatapp = await quiet({ table: { allowed_numbers } });
  expect((await chatapp.deliver(delivery(message("hi", { from })))).status).toBe(200);
  expect(await waiting(chatapp)).toBe(taken ? 1 : 0);
});

test("CHA-06: a redelivered message is answered once", async () => {
  await using graph = await startGraph();
  await using chatapp = await startChatapp({ graph });
  const twice = message("once", { id: "same" });
  for (const payload of [delivery(twice), delivery(twice, twice), delivery(twice, message("last"))])
    expect((await chatapp.deliver(payload)).status).toBe(200);
  await graph.count(2);
  expect(graph.calls).toHaveLength(2);
});

test("CHA-07: messages of one sender are answered in their order", async () => {
  await using graph = await startGraph();
  const echo = fakeProvider([
    ({ messages }) => /said (\d+)/.exec(textOf(messages.at(-1)?.parts ?? []))?.[0] ?? "?",
  ]);
  await using chatapp = await startChatapp({ graph, plugins: [memoryStore(), echo] });
  const texts = Array.from({ length: 10 }, (_, i) => `said ${i}`);
  await chatapp.deliver(delivery(...texts.slice(0, 5).map((text) => message(text))));
  for (const text of texts.slice(5)) await chatapp.deliver(delivery(message(text)));
  await graph.count(10);
  expect(graph.calls.map(({ body }) => body.text.body)).toEqual(texts);
});

test("CHA-07: a sender whose answer takes long keeps nobody else waiting", async () => {
  await using graph = await startGraph();
  const { promise: later, resolve: go } = Promise.withResolvers<void>();
  const provider = fakeProvider([
    ({ messages }) =>
      /slow/.test(textOf(messages.at(-1)?.parts ?? [])) ? { text: "slow", after: later } : "fast",
  ]);
  await using chatapp = await startChatapp({
    graph,
    plugins: [memoryStore(), provider],
    table: { allowed_numbers: ["*"] },
  });
  await chatapp.deliver(
    delivery(message("slow", { from: "1" }), message("next", { from: "1" }), message("hi", { from: "2" })),
  );
  await graph.count(1);
  expect(graph.calls.map(({ body }) => `${body.to} ${body.text.body}`)).toEqual(["2 fast"]);
  go();
  await graph.count(3);
  expect(graph.calls.map(({ body }) => `${body.to} ${body.text.body}`)).toEqual([
    "2 fast",
    "1 slow",
    "1 fast",
  ]);
});

test("CHA-07: what waits is answered by the next process on the same store", async () => {
  await using graph = await startGraph();
  const store = createMemoryStore();
  {
    await using before = await quiet({ graph, plugins: [memoryStore(store), fakeProvider(["x"])] });
    await before.deliver(delivery(message("one"), message("two")));
  }
  expect(graph.calls).toEqual([]);
  await using after = await startChatapp({
    graph,
    plugins: [memoryStore(store), fakeProvider(["first", "second"])],
  });
  await graph.count(2);
  expect(graph.calls.map(({ body }) => body.text.body)).toEqual(["first", "second"]);
  expect(await waiting(after)).toBe(0);
});

test("CHA-07: a full inbox asks the platform to deliver again later, and what it did take is known then", async () => {
  const store = createMemoryStore();
  const stats = store.lanes.stats.bind(store.lanes);
  let full = true;
  store.lanes.stats = async () => (full ? { waiting: 1e9, running: 0, deadLetters: 0 } : stats());
  await using chatapp = await quiet({ plugins: [memoryStore(store), fakeProvider(["x"])] });
  const payload = delivery(message("hi"));
  const response = await chatapp.deliver(payload);
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await response.json()).toMatchObject({ error: { code: "CHATAPP_FULL" } });
  full = false;
  expect((await chatapp.deliver(payload)).status).toBe(200);
  expect(await waiting(chatapp)).toBe(1);
});

test("CHA-06: a store that cannot keep a message is no 200, so the platform delivers it again", async () => {
  const store = createMemoryStore();
  store.lanes.accept = () => Promise.reject(new Error("disk full"));
  await using chatapp = await quiet({ plugins: [memoryStore(store), fakeProvider(["x"])] });
  expect((await chatapp.deliver(delivery(message("hi")))).status).toBe(503);
});

test("CHA-02: without an app secret unsigned deliveries work, and the start, status and doctor say so loudly", async () => {
  await using chatapp = await quiet({ table: { app_secret: undefined } });
  expect((await chatapp.deliver(delivery(message("hi")), { "x-hub-signature-256": "" })).status).toBe(200);
  expect(await waiting(chatapp)).toBe(1);
  expect(chatapp.host.logs).toContainEqual(
    expect.objectContaining({ level: "warn", message: expect.stringContaining("has no app secret") }),
  );
  for (const kind of ["status", "doctor"]) {
    const rows = await chatapp.check(`chatapp-${kind}`);
    expect(rows).toContainEqual(
      expect.objectContaining({
        what: "chatapp signature",
        state: "warn",
        cure: expect.stringContaining("app_secret"),
      }),
    );
  }
  await using signed = await quiet();
  expect(signed.host.logs.filter(({ message: text }) => text.includes("has no app secret"))).toEqual([]);
  expect(await signed.check("chatapp-status")).toContainEqual(
    expect.objectContaining({ what: "chatapp signature", state: "ok" }),
  );
  expect(JSON.stringify(await signed.check("chatapp-status"))).not.toContain(accessToken);
});

test("CHA-02: INB-04: what cannot be kept is 503 with a time to come again, says nothing of this machine, and is taken then", async () => {
  const store = createMemoryStore();
  const accept = store.lanes.accept.bind(store.lanes);
  store.lanes.accept = () => Promise.reject(new Error("ENOSPC: no space left on device, /home/me/state"));
  await using graph = await startGraph();
  await using chatapp = await startChatapp({
    graph,
    plugins: [memoryStore(store), fakeProvider(["hello there"])],
  });
  const same = delivery(message("hi"));
  const refused = await chatapp.deliver(same);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  const told = await refused.text();
  expect(JSON.parse(told)).toMatchObject({ error: { code: "CHATAPP_NOT_KEPT" } });
  expect(told).not.toMatch(/ENOSPC|home/);
  expect(chatapp.host.logs.some(({ message: line }) => line.includes("ENOSPC"))).toBe(true);
  store.lanes.accept = accept;
  expect((await chatapp.deliver(same)).status).toBe(200);
  await graph.count(1);
});
