import {
  channelPlatformContract,
  type ChannelPlatformSubject,
  type SendingEnds,
  type TestPlatform,
  type Told,
  type Writing,
} from "@gantry/sdk/testing";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { questionsAreRead } from "../../test/helpers/questions-are-read.ts";
import net from "../net-undici/index.ts";
import { member, own, owner, stranger, tableOf, writeTo, type Written } from "./email.test-kit.ts";
import email from "./index.ts";
import { dovecot, MailServer } from "./mail-server.test-kit.ts";
import { MailSink, password, type SinkFailure, type SunkMail } from "./mail-sink.test-kit.ts";

const bot = "no-reply@example.com";

beforeAll(() => void vi.stubEnv("SERVICE_ALLOW_INSECURE_LOOPBACK", "1"));
afterAll(() => void vi.unstubAllEnvs());

function failureOf({ how }: SendingEnds): SinkFailure {
  return how === "account"
    ? { at: "auth", code: 535, text: "5.7.8 Authentication credentials invalid" }
    : { at: "data", code: 550, text: "5.6.0 Content not accepted" };
}

/** Returns what a mail program shows: the HTML, if there is any. */
function toldOf({ to, shown }: SunkMail): Told {
  const { html, text, header } = shown;
  const visible = html
    .replace(/<[^>]*>/g, "")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, "&");
  const [, thread] = /<thread-(\w+)@/.exec(header("References") ?? "") ?? [];
  return {
    text: html === "" ? text.trimEnd() : visible.trim(),
    place: thread === undefined ? "direct" : "group",
    ...(to[0] !== undefined && { to: to[0] }),
    ...(thread !== undefined && { thread }),
  };
}

/** Returns the real servers as the contract drives them. */
function platformOn(server: MailServer, sink: MailSink): TestPlatform {
  let last: Partial<Written> = {};
  let closed: Promise<unknown> | undefined;
  return {
    async write({ from, text, thread, twice = false }: Writing) {
      // Without a thread, all of one person's mails are one conversation.
      const root = `<${thread === undefined ? `chat-of-${from.replace("@", ".")}` : `thread-${thread}`}@mail.example>`;
      last = writeTo(server, { from, text, headers: [`References: ${root}`] });
      if (twice) writeTo(server, last);
    },
    again: async () => void writeTo(server, last),
    told: () => sink.mails.map(toldOf),
    taken: () => server.flags(own).filter((flags) => flags.includes("S")).length,
    failNext: (ending) => void sink.failures.push(failureOf(ending)),
    async close() {
      await (closed ??= Promise.all([server[Symbol.asyncDispose](), sink[Symbol.asyncDispose]()]));
    },
  };
}

const subject: ChannelPlatformSubject = {
  channel: "email",
  people: { owner, member, stranger, bot, self: own },
  to: { to: owner, references: [] },
  secrets: [password, Buffer.from(password).toString("base64")],
  threads: true,
  repeats: true,
  waits: false,
  refusal: "Login error",
  async open() {
    const sink = await MailSink.start();
    const server = await MailServer.start();
    const table = {
      ...tableOf(server, sink),
      answers_per_hour: 1_000,
      allowed_senders: [owner, member, bot, own],
    };
    return {
      platform: platformOn(server, sink),
      plugins: [net, email],
      config: { channels: { email: table } },
    };
  },
};
const cases = channelPlatformContract(subject);

test.runIf(dovecot.here).each(cases)(`CHN-05: channel-email: $name${dovecot.why}`, async ({ run }) => {
  await expect(run()).resolves.toBeUndefined();
});

test.runIf(dovecot.here).each([subject])(
  `SEC-19: channel-email: whatever would run, the question about it is read sign by sign${dovecot.why}`,
  async (given) => {
    await expect(questionsAreRead(given)).resolves.toBeUndefined();
  },
);
