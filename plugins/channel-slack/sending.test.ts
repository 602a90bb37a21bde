import { Channels, type Json, type OutgoingMessage, type Part, type Sent, textParts } from "@gantry/sdk";
import { readMarkdown } from "@gantry/sdk/channel";
import { createMemoryStore, fakeProvider, memoryStore } from "@gantry/sdk/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hostileText, visible } from "../../sdk/channel-kit/rich-text.test-kit.ts";
import { directOf, group, owner, seenOf, startSlack, type TestSlack } from "./slack.test-kit.ts";

let counter = 0;

function send(
  t: TestSlack,
  text: string | readonly Part[],
  given: Partial<OutgoingMessage> = {},
): Promise<Sent> {
  const parts = typeof text === "string" ? textParts(text) : text;
  const message = { to: { channel: directOf(owner) }, parts, key: `test-${(counter += 1)}`, ...given };
  return t.host.slot(Channels).get("slack")!.send(message, AbortSignal.timeout(60_000));
}

const posts = (t: TestSlack) =>
  t.api
    .of("chat.postMessage")
    .filter(({ refused }) => !refused)
    .map(({ params }) => params);

test("SL-11: text goes with its forms as data and as escaped marks, pings nobody, and without a preview of its links", async () => {
  await using t = await startSlack({ serves: false });
  expect(await send(t, "**Hi** <!channel> <@U123> `x < 1` [l](https://a.test)")).toMatchObject({
    status: "sent",
    id: expect.stringMatching(/^\d+\.\d{6}$/),
  });
  expect(posts(t)[0]).toMatchObject({
    channel: directOf(owner),
    text: "*Hi* &lt;!channel&gt; &lt;@U123&gt; `x &lt; 1` <https://a.test|l>",
    unfurl_links: "false",
    unfurl_media: "false",
  });
  expect(posts(t)[0]?.["blocks"][0].elements[0].elements).toEqual([
    { type: "text", text: "Hi", style: { bold: true } },
    { type: "text", text: " <!channel> <@U123> " },
    { type: "text", text: "x < 1", style: { code: true } },
    { type: "text", text: " " },
    { type: "link", text: "l", url: "https://a.test" },
  ]);
});

test("SL-11: CC-12: whatever a model writes arrives whole, in parts of 3,900, and the strict platform refuses none of it", async () => {
  await using t = await startSlack({ serves: false });
  await fc.assert(
    fc.asyncProperty(hostileText, fc.integer({ min: 1, max: 40 }), async (piece, times) => {
      const source = `a ${piece.repeat(times)} b`;
      const before = posts(t).length;
      expect((await send(t, source)).status).toBe("sent");
      const arrived = posts(t).slice(before).map(seenOf).join("");
      expect(visible(arrived)).toBe(visible((await readMarkdown(source)).text.toWellFormed()));
    }),
    // An address whose many forms each repeat it was more than the platform takes.
    { numRuns: 60, examples: [["*https://a.test/x?y=1**_👩‍👩‍👧", 26]] },
  );
  expect(Math.max(...posts(t).map(({ text }) => text.length))).toBeLessThanOrEqual(3_900);
});

test("CC-02: another try of a long reply sends only what did not go out, all of it in the thread", async () => {
  await using t = await startSlack({ serves: false });
  const long = ["a", "b", "c"].map((letter) => letter.repeat(3_800)).join(" ");
  const thread = t.api.ts();
  const given = { key: "one", to: { channel: group, thread } };
  t.api.failures.push({ method: "chat.postMessage", error: "internal_error" });
  expect(await send(t, long, given)).toMatchObject({ status: "retry" });
  expect(await send(t, long, given)).toMatchObject({ status: "sent" });
  expect(posts(t).map((params) => [seenOf(params)[0], params["thread_ts"]])).toEqual([
    ["a", thread],
    ["b", thread],
    ["c", thread],
  ]);
});

test("ST-17: SL-14: a post whose answer was lost is looked for by its name before it is sent again, also by the next process", async () => {
  const store = createMemoryStore();
  await using t = await startSlack({ serves: false, plugins: [memoryStore(store), fakeProvider(["x"])] });
  const thread = t.api.say(group, { user: owner, text: "question" });
  const places: readonly Json[] = [{ channel: directOf(owner) }, { channel: group, thread }];
  for (const to of places) {
    const key = `lost-${JSON.stringify(to)}`;
    t.api.failures.push({ method: "chat.postMessage", how: "cut" });
    expect(await send(t, "once", { to, key })).toMatchObject({ status: "retry" });
    await using next = await startSlack({
      api: t.api,
      serves: false,
      plugins: [memoryStore(store), fakeProvider(["x"])],
    });
    const found = { status: "sent", id: expect.any(String) };
    expect(await send(next, "once", { to, key, earlier: "ended" })).toMatchObject(found);
    expect(await send(next, "once", { to, key, earlier: "cut" })).toMatchObject(found);
  }
  expect(posts(t).map(({ client_msg_id }) => client_msg_id)).toHaveLength(2);
  const ids = new Set(posts(t).map(({ client_msg_id }) => client_msg_id));
  expect(ids.size).toBe(2);
  expect(posts(t)[0]?.["metadata"]).toMatchObject({ event_payload: { id: posts(t)[0]?.["client_msg_id"] } });
});

test("SL-14: a post that Slack does not have is sent again as it was", async () => {
  await using t = await startSlack({ serves: false });
  expect(await send(t, "never begun", { earlier: "cut" })).toMatchObject({ status: "sent" });
  expect(posts(t).map(seenOf)).toEqual(["never begun"]);
});

test("SL-14: where Slack does not tell whether a post arrived, its copy says so", async () => {
  await using t = await startSlack({ serves: false });
  t.api.failures.push({ method: "chat.postMessage", how: "cut" });
  t.api.scopes.delete("im:history");
  await send(t, "maybe twice", { key: "doubt" });
  const again = { key: "doubt", earlier: "ended" } as const;
  expect(await send(t, "maybe twice", again)).toMatchObject({ status: "sent" });
  expect(posts(t).map(seenOf)).toEqual([
    "maybe twice",
    "(Sent again, as it may not have arrived.)\nmaybe twice",
  ]);
});

test("SL-12: CC-09: a 429 is waited out for that method and channel, without asking again, and is no failure", async () => {
  await using t = await startSlack({ serves: false });
  t.api.failures.push({ channel: directOf(owner), error: "ratelimited", retryAfter: 1_221 });
  const waits = {
    status: "retry",
    reason: expect.stringContaining("API error: 429"),
    afterMs: expect.any(Number),
  };
  expect(await send(t, "hello", { key: "rate" })).toEqual({ ...waits, afterMs: 1_221_000 });
  const again = await send(t, "hello", { key: "rate" });
  expect(again).toEqual(waits);
  expect((again as { afterMs: number }).afterMs).toBeGreaterThan(1_200_000);
  expect(t.api.of("chat.postMessage")).toHaveLength(1);
  expect(await send(t, "hello", { to: { channel: group } })).toMatchObject({ status: "sent" });
});

test("CC-13: blocks that the platform does not understand are left out, once, so that the answer arrives", async () => {
  await using t = await startSlack({ serves: false });
  const bad = { method: "chat.postMessage", error: "invalid_blocks" };
  t.api.failures.push(bad);
  expect(await send(t, "**bold**")).toMatchObject({ status: "sent" });
  expect(t.api.of("chat.postMessage").map(({ params }) => [params["text"], "blocks" in params])).toEqual([
    ["*bold*", true],
    ["*bold*", false],
  ]);
  t.api.failures.push(bad, bad);
  expect(await send(t, "**bold**")).toMatchObject({ status: "refused" });
});

test.each<[string, Partial<Sent>, string]>([
  ["ratelimited", { status: "retry" }, "asks to wait"],
  ["invalid_auth", { status: "retry", scope: "channel" }, "channels.slack.bot_token"],
  ["token_revoked", { status: "retry", scope: "channel" }, "401"],
  ["account_inactive", { status: "retry", scope: "channel" }, "administrator"],
  ["channel_not_found", { status: "refused" }, "404"],
  ["not_in_channel", { status: "refused" }, "/invite"],
  ["is_archived", { status: "refused" }, "404"],
  ["some_new_error", { status: "refused" }, "some_new_error"],
  ["fatal_error", { status: "retry" }, "fatal_error"],
])("SL-13: an answer 200 with ok false and %s means %j", async (error, outcome, words) => {
  await using t = await startSlack({ serves: false });
  t.api.failures.push({ method: "chat.postMessage", error });
  const sent = await send(t, "hello");
  expect(sent).toMatchObject({ ...outcome, reason: expect.stringContaining(words) });
  expect((sent as { reason: string }).reason).toContain(error);
});

test("SL-13: what the strict platform itself refuses is understood: a foreign, an archived, an unknown channel, a missing scope", async () => {
  await using t = await startSlack({ serves: false });
  t.api.channels.set("CFOREIGN1", { isMember: false }).set("COLD00001", { isMember: true, isArchived: true });
  for (const [channel, word] of [
    ["CFOREIGN1", "not_in_channel"],
    ["COLD00001", "is_archived"],
    ["CNOWHERE1", "channel_not_found"],
  ] as const)
    expect(await send(t, "x", { to: { channel } })).toMatchObject({
      status: "refused",
      reason: expect.stringContaining(word),
    });
  t.api.scopes.delete("chat:write");
  expect(await send(t, "x")).toMatchObject({
    status: "retry",
    scope: "channel",
    reason: expect.stringContaining("lacks the scope chat:write"),
  });
  expect(await t.check("slack-doctor")).toContainEqual(
    expect.objectContaining({ state: "fail", detail: expect.stringContaining("chat:write") }),
  );
});

test("SL-13: a platform that is away, is cut off, sends a page or is cancelled means another try", async () => {
  await using t = await startSlack({ serves: false });
  for (const failure of [{ how: "cut" }, { status: 502 }] as const) {
    t.api.failures.push({ method: "chat.postMessage", ...failure });
    expect(await send(t, "hello")).toMatchObject({ status: "retry" });
  }
  t.api.failures.push({ how: "silent", method: "chat.postMessage" });
  const message = { to: { channel: directOf(owner) }, parts: textParts("x"), key: "x" };
  expect(await t.host.slot(Channels).get("slack")!.send(message, AbortSignal.timeout(100))).toMatchObject({
    status: "retry",
  });
});

test("SL-09: what is no address of this channel is refused and nothing is sent", async () => {
  await using t = await startSlack({ serves: false });
  const wrong: readonly Json[] = [
    "C1",
    1,
    null,
    [],
    {},
    { channel: "x" },
    { channel: 5 },
    { channel: group, thread: "x" },
    { channel: group, thread: 5 },
  ];
  for (const to of wrong) expect(await send(t, "hello", { to })).toMatchObject({ status: "refused" });
  expect(t.api.calls).toEqual([]);
});

test("SL-13: to an address that is neither https nor this machine nothing is sent, and status says so", async () => {
  await using t = await startSlack({ serves: false, env: { SERVICE_ALLOW_INSECURE_LOOPBACK: "" } });
  const reason = expect.stringContaining("endpoints.slack_url");
  expect(await send(t, "hello")).toMatchObject({ status: "retry", scope: "channel", reason });
  expect(t.api.calls).toEqual([]);
  expect(await t.check("slack-doctor")).toContainEqual(
    expect.objectContaining({ what: "slack account", state: "fail" }),
  );
});
