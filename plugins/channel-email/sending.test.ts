import { Channels, textParts, type Sent } from "@gantry/sdk";
import {
  askingTool,
  channelContract,
  createMemoryStore,
  fakeProvider,
  memoryStore,
} from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import {
  lastSaid,
  member,
  owner,
  proven,
  startEmail,
  stranger,
  vouchedFor,
  type TestEmail,
} from "./email.test-kit.ts";
import { dovecot, MailServer } from "./mail-server.test-kit.ts";
import { MailSink, type SinkFailure } from "./mail-sink.test-kit.ts";

const address = { to: owner, references: [], subject: "x" };

function send(t: TestEmail, text: string, key: string = "k"): Promise<Sent> {
  return t.host
    .slot(Channels)
    .get("email")!
    .send({ to: address, parts: textParts(text), key }, AbortSignal.timeout(60_000));
}

/** Starts the channel with servers that are not read from. */
async function sendingAlone(table: Readonly<Record<string, unknown>> = {}): Promise<TestEmail> {
  return startEmail({
    server: MailServer.nowhere(),
    serves: false,
    table,
    plugins: [memoryStore(createMemoryStore()), fakeProvider([lastSaid])],
  });
}

test("EM-15: 4xx is tried again, 5xx is refused, a server that is away holds the channel's mails", async () => {
  await using t = await sendingAlone();
  const ends = async (failure: SinkFailure): Promise<Sent> => {
    t.sink.failures.push(failure);
    return send(t, "hello", JSON.stringify(failure));
  };
  expect(await ends({ at: "to", code: 450, text: "4.2.0 greylisted" })).toEqual({
    status: "retry",
    reason: expect.stringContaining("greylisted"),
  });
  expect(await ends({ at: "data", code: 452, text: "4.2.2 mailbox full" })).toMatchObject({
    status: "retry",
  });
  expect(await ends({ at: "to", code: 550, text: "5.1.1 no such user" })).toMatchObject({
    status: "refused",
  });
  expect(await ends({ at: "from", code: 553, text: "5.1.8 not yours" })).toMatchObject({ status: "refused" });
  expect(await ends({ at: "data", code: 554, text: "5.7.1 spam" })).toMatchObject({ status: "refused" });
  expect(await ends({ at: "from", code: 421, text: "4.3.2 closing" })).toMatchObject({
    status: "retry",
    scope: "channel",
  });
  expect(t.sink.mails).toEqual([]);
  expect(await send(t, "hello", "last")).toMatchObject({ status: "sent" });
});

test("EM-14: a mail whose connection is cut in the middle is sent again as the same mail", async () => {
  await using t = await sendingAlone();
  t.sink.failures.push({ at: "data", cut: true });
  expect(await send(t, "hello")).toMatchObject({ status: "retry", scope: "channel" });
  const first = await send(t, "hello");
  const second = await send(t, "hello");
  expect([first.status, second]).toEqual(["sent", first]);
  const [a, b] = t.sink.mails.map(({ shown }) => shown.messageId);
  expect([a, b]).toEqual([(first as { id: string }).id, a]);
  expect((await send(t, "hello", "other")) as object).not.toEqual(first);
});

test("EM-12: a password that the sending server refuses is not tried at every answer", async () => {
  await using t = await sendingAlone({ password: "wrong-pass-word" });
  for (let i = 0; i < 3; i += 1)
    expect(await send(t, "hello", `${i}`)).toMatchObject({
      status: "retry",
      scope: "channel",
      reason: expect.stringContaining("Login error"),
    });
  expect(t.sink.logins).toBe(1);
  expect(JSON.stringify(await t.check("email-status"))).toContain("Login error");
});

test("EM-06: one person gets answers_per_hour mails within an hour, the rest waits, and others are not held", async () => {
  await using t = await sendingAlone({ answers_per_hour: 2 });
  t.sink.failures.push({ at: "to", code: 450, text: "4.2.0 later" });
  expect(await send(t, "hello", "a")).toMatchObject({ status: "retry" });
  for (const key of ["a", "b"]) expect(await send(t, "hello", key)).toMatchObject({ status: "sent" });
  const waits = (await send(t, "hello", "c")) as { status: string; afterMs: number; scope?: string };
  expect(waits).toMatchObject({ status: "retry" });
  expect(waits.scope).toBeUndefined();
  expect(waits.afterMs).toBeGreaterThan(3_500_000);
  const other = { to: member, parts: textParts("x"), key: "d" };
  expect(await t.host.slot(Channels).get("email")!.send(other, AbortSignal.timeout(60_000))).toMatchObject({
    status: "sent",
  });
});

test("CHN-05: the channel keeps the contract of every channel", async () => {
  await using t = await sendingAlone();
  const channel = t.host.slot(Channels).get("email")!;
  for (const { run } of channelContract({ channel, to: address }))
    await expect(run()).resolves.toBeUndefined();
});

test("CC-19: both connections go through the proxy that HTTPS_PROXY names", async () => {
  const { proxyTo } = await import("../net-undici/loopback.test-kit.ts");
  await using sink = await MailSink.start();
  await using proxy = await proxyTo(sink.port);
  const table = {
    smtp_host: "mail.test",
    smtp_tls: "implicit",
    imap_host: "mail.test",
    imap_tls: "implicit",
  };
  await using t = await startEmail({
    server: MailServer.nowhere(),
    sink,
    serves: false,
    table,
    env: { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` },
    keepsEnv: true,
  });
  await t.check("email");
  expect(proxy.seen.map(({ line }) => line).toSorted()).toEqual(
    [`CONNECT mail.test:${t.server.ports.imap}`, `CONNECT mail.test:${sink.port}`].toSorted(),
  );
});

test.runIf(dovecot.here)(
  `CC-15: CC-14: a question goes out as a mail, and a reply with its words decides it${dovecot.why}`,
  async () => {
    const tool = askingTool();
    const model = fakeProvider([{ calls: [{ name: tool.toolName, args: {} }] }, "done"]);
    const plugins = [memoryStore(), model, tool.plugin];
    await using t = await startEmail({ plugins, table: proven });
    const asked = t.write({ subject: "do it", text: "now", headers: [vouchedFor()] });
    const [question] = await t.sink.sent(1);
    const [, words = ""] = /"(allow [0-9a-f]{6})"/.exec(question!.shown.text) ?? [];
    const headers = [
      `In-Reply-To: ${question!.shown.messageId}`,
      `References: ${asked.id} ${question!.shown.messageId}`,
    ];
    const quote = "On Thu, Agent wrote:\n> May asking run this?\n> Answer";
    t.write({
      from: stranger,
      subject: "Re: do it",
      text: words,
      headers: [vouchedFor("example.net"), ...headers],
    });
    const text = `${words}\n\n${quote}\n\n-- \nAda`;
    t.write({ subject: "Re: do it", text, headers: [vouchedFor(), ...headers] });
    const mails = await t.sink.sent(2);
    expect(mails.some(({ shown, to }) => shown.text === "done" && to[0] === owner)).toBe(true);
    expect(tool.runs()).toBe(1);
  },
);
