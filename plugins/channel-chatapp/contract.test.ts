import {
  channelPlatformContract,
  type ChannelPlatformSubject,
  type SendingEnds,
  type TestPlatform,
} from "@gantry/sdk/testing";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { freePort } from "../../test/e2e/platform.ts";
import gateway from "../gateway-http/index.ts";
import { questionsAreRead } from "../../test/helpers/questions-are-read.ts";
import net from "../net-undici/index.ts";
import { readAnswer, shownText } from "./shown-text.test-kit.ts";
import {
  accessToken,
  delivery,
  message,
  secret,
  sign,
  startGraph,
  type FakeGraph,
} from "./chatapp.test-kit.ts";
import chatapp from "./index.ts";

const people = {
  owner: "+15551110001",
  member: "+15551110002",
  stranger: "+15551110003",
  self: "+15551110009",
};

beforeAll(() => void vi.stubEnv("SERVICE_ALLOW_INSECURE_LOOPBACK", "1"));
afterAll(() => void vi.unstubAllEnvs());

/** Returns a message that the agent's own number wrote elsewhere, as the platform tells of it. */
function echoOf(written: object): object {
  const value = { messaging_product: "whatsapp", message_echoes: [written] };
  const changes = [{ field: "smb_message_echoes", value }];
  return { object: "whatsapp_business_account", entry: [{ id: "1", changes }] };
}

function failNext({ answers }: FakeGraph, ending: SendingEnds): void {
  if (ending.how === "rate")
    answers.push({ status: 429, headers: { "retry-after": String(ending.afterMs / 1_000) } });
  // The sending, and whoever asks next how the account is.
  else answers.push({ status: 401 }, { status: 401 });
}

/**
 * The fake platform as the contract drives it: it delivers to the real gateway, and is told by its
 * answers.
 */
function platformOn(graph: FakeGraph, port: number, shown: (body: string) => string): TestPlatform {
  let taken = 0;
  let last: unknown;
  const deliver = async (): Promise<void> => {
    const body = JSON.stringify(last);
    const { status } = await fetch(`http://127.0.0.1:${port}/chatapp`, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", "x-hub-signature-256": sign(body) },
    });
    if (status === 200) taken += 1;
  };
  return {
    async write({ from, text, twice = false }) {
      const written = message(text, { from: from.slice(1) });
      last = from === people.self ? echoOf(written) : delivery(written);
      await deliver();
      if (twice) await deliver();
    },
    again: deliver,
    told: () =>
      graph.calls
        .filter(({ method, status }) => method === "POST" && status === 200)
        .map(({ body }) => ({ text: shown(body.text.body), place: "direct", to: `+${body.to}` })),
    taken: () => taken,
    failNext: (ending) => failNext(graph, ending),
    close: async () => graph[Symbol.asyncDispose](),
  };
}

const subjectOf = (shown: (body: string) => string): ChannelPlatformSubject => ({
  channel: "chatapp",
  people,
  to: people.owner,
  secrets: [accessToken, secret],
  repeats: true,
  plain: true,
  async open() {
    const [graph, port] = await Promise.all([startGraph(), freePort()]);
    const table = {
      access_token: accessToken,
      phone_number_id: "1234567890",
      verify_token: "verify me",
      app_secret: secret,
      allowed_numbers: [people.owner, people.member, people.self],
    };
    const config = {
      gateway: { port },
      channels_config: { chatapp: table },
      endpoints: { graph_url: graph.url },
    };
    return { platform: platformOn(graph, port, shown), plugins: [net, chatapp, gateway], config };
  },
});

/** A question stands in one block of code. */
const isBlock = /^```\n[^]*\n```$/;
const cases = channelPlatformContract(
  subjectOf((body) =>
    isBlock.test(body) && !body.slice(3, -3).includes("```") ? shownText(body) : readAnswer(body),
  ),
);

test.each(cases)("CHN-05: $name", async ({ run }) => {
  vi.spyOn(process.stderr, "write").mockImplementation(() => true);
  await expect(run()).resolves.toBeUndefined();
  vi.restoreAllMocks();
});

test("SEC-19: channel-chatapp: whatever would run, the question about it is read sign by sign", async () => {
  await expect(questionsAreRead(subjectOf(shownText))).resolves.toBeUndefined();
});
