import { LogLevel as SocketLogLevel, SocketModeClient } from "@slack/socket-mode";
import { LogLevel, WebClient } from "@slack/web-api";
import { expect, test } from "vitest";
import { appToken, botToken, type FakeSlack } from "./fake-slack.test-kit.ts";
import { group, named, owner, sayTo, startWorkspace } from "./slack.test-kit.ts";

/**
 * The client that people use, on our platform: what works here works as it does at the real one.
 */
function web(api: FakeSlack, token: string = botToken): WebClient {
  const slackApiUrl = `${api.url}/`;
  return new WebClient(token, {
    slackApiUrl,
    rejectRateLimitedCalls: true,
    retryConfig: { retries: 0 },
    logLevel: LogLevel.ERROR,
  });
}

function socket(api: FakeSlack): SocketModeClient {
  const clientOptions = { slackApiUrl: `${api.url}/`, retryConfig: { retries: 0 } };
  return new SocketModeClient({ appToken, clientOptions, logLevel: SocketLogLevel.ERROR });
}

/** Returns the error code of a refused call. */
async function errorOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => Promise.reject(new Error("it worked")),
    (error: { data?: { error?: string }; code?: string }) => error.data?.error ?? String(error.code),
  );
}

interface Told {
  readonly ack: (answer?: object) => Promise<void>;
  readonly body: Record<string, any>;
  readonly event?: Record<string, any>;
  readonly retry_num?: number;
}

test("CHN-05: the fake platform is one to the well-kept client: hello, events, threads, presses, acknowledgements", async () => {
  await using api = await startWorkspace();
  const client = socket(api);
  const seen: string[] = [];
  for (const kind of ["message", "app_mention"])
    client.on(kind, async ({ event, ack }: Told) => {
      seen.push(`${kind} ${event?.["channel_type"]} ${event?.["thread_ts"] ?? "-"} ${event?.["text"]}`);
      await ack();
    });
  client.on("interactive", async ({ body, ack }: Told) => {
    seen.push(`pressed ${body["actions"][0].value} by ${body["user"].id}`);
    await ack();
  });
  await client.start();
  sayTo(api, "hello");
  const ts = sayTo(api, `${named} in a thread`, { channel: group, thread_ts: "1700000000.000100" });
  await api.until(() => api.socketMode.acknowledged.length === 3);
  api.press(owner, group, { ts }, "yes");
  await api.until(() => api.socketMode.acknowledged.length === 4);
  await client.disconnect();
  expect(seen.toSorted()).toEqual([
    `app_mention undefined 1700000000.000100 ${named} in a thread`,
    `message channel 1700000000.000100 ${named} in a thread`,
    "message im - hello",
    `pressed yes by ${owner}`,
  ]);
});

test("SL-02: what is not acknowledged comes again, with the number of its try; what is does not", async () => {
  await using api = await startWorkspace();
  api.socketMode.ackMs = 100;
  const client = socket(api);
  const tries: (number | undefined)[] = [];
  client.on("message", async ({ ack, retry_num }: Told) => {
    tries.push(retry_num);
    if (tries.length === 2) await ack();
  });
  await client.start();
  sayTo(api, "hello");
  await api.until(() => api.socketMode.acknowledged.length === 1);
  await client.disconnect();
  expect([tries, api.socketMode.waiting]).toEqual([[undefined, 1], 0]);
});

test("CHN-05: the fake platform takes what the client sends, and refuses in the words that it reads", async () => {
  await using api = await startWorkspace();
  const client = web(api);
  const post = (message: Record<string, unknown>) => client.apiCall("chat.postMessage", message);
  const posted = await post({
    channel: group,
    text: "hello",
    blocks: [
      {
        type: "rich_text",
        elements: [
          { type: "rich_text_section", elements: [{ type: "text", text: "hello", style: { bold: true } }] },
        ],
      },
      {
        type: "actions",
        elements: [{ type: "button", text: { type: "plain_text", text: "Yes" }, action_id: "a", value: "v" }],
      },
    ],
    metadata: { event_type: "x", event_payload: { id: "1" } },
  });
  const { ts = "" } = posted as { ts?: string };
  await client.chat.update({ channel: group, ts, text: "done" });
  await client.reactions.add({ channel: group, timestamp: ts, name: "eyes" });
  const { messages } = await client.conversations.history({ channel: group, include_all_metadata: true });
  expect(messages?.[0]).toMatchObject({ ts, text: "done", metadata: { event_payload: { id: "1" } } });
  expect(await client.auth.test()).toMatchObject({
    user_id: "UBOT00001",
    response_metadata: { scopes: expect.arrayContaining(["chat:write"]) },
  });

  const long = { channel: group, text: "x".repeat(40_001) };
  const button = {
    type: "button",
    text: { type: "plain_text", text: "x".repeat(76) },
    action_id: "a",
  } as const;
  const section = { type: "section", text: { type: "mrkdwn", text: "x".repeat(3_001) } } as const;
  const wrong: readonly (readonly [Promise<unknown>, string])[] = [
    [post(long), "msg_too_long"],
    [post({ channel: group, text: " " }), "no_text"],
    [post({ channel: "CNOWHERE1", text: "x" }), "channel_not_found"],
    [post({ channel: group, text: "x", blocks: [section] }), "invalid_blocks"],
    [
      post({
        channel: group,
        text: "x",
        blocks: [{ type: "actions", elements: [button] }],
      }),
      "invalid_blocks",
    ],
    [client.reactions.add({ channel: group, timestamp: ts, name: "eyes" }), "already_reacted"],
    [web(api, "xoxb-wrong-token").auth.test(), "invalid_auth"],
    [web(api, botToken).apps.connections.open({}), "not_allowed_token_type"],
    [web(api, appToken).apiCall("chat.postMessage", { channel: group, text: "x" }), "not_allowed_token_type"],
  ];
  for (const [call, word] of wrong) expect(await errorOf(call)).toBe(word);

  api.channels.set("CFOREIGN1", { isMember: false }).set("COLD00001", { isMember: true, isArchived: true });
  expect(await errorOf(post({ channel: "CFOREIGN1", text: "x" }))).toBe("not_in_channel");
  expect(await errorOf(post({ channel: "COLD00001", text: "x" }))).toBe("is_archived");
  api.scopes.delete("reactions:write");
  const lacking = await client.reactions
    .add({ channel: group, timestamp: ts, name: "ok" })
    .catch((error) => error.data);
  expect(lacking).toMatchObject({ error: "missing_scope", needed: "reactions:write" });
  api.failures.push({ method: "auth.test", error: "ratelimited", retryAfter: 7 });
  expect(await client.auth.test().catch((error) => error.retryAfter)).toBe(7);
});

test("CHN-05: the fake platform takes a file in three steps and hands it out as the client expects", async () => {
  await using api = await startWorkspace();
  const file = Buffer.from("a,b\n1,2\n");
  await web(api).files.uploadV2({ channel_id: group, filename: "data.csv", file });
  const [kept] = [...api.files.values()];
  expect([kept?.name, kept?.sharedIn, Buffer.from(kept?.bytes ?? []).toString()]).toEqual([
    "data.csv",
    [group],
    "a,b\n1,2\n",
  ]);
  const { file: told } = await web(api).files.info({ file: kept?.id ?? "" });
  const headers = { authorization: `Bearer ${botToken}` };
  const bytes = await fetch(told?.url_private_download ?? "", { headers });
  expect([await bytes.text(), (await fetch(told?.url_private ?? "", { redirect: "manual" })).status]).toEqual(
    ["a,b\n1,2\n", 302],
  );
});
