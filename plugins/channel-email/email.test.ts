import { fakeProvider, memoryStore, createMemoryStore } from "@gantry/sdk/testing";
import { lastSaid, member, own, owner, startEmail, stranger, writeTo } from "./email.test-kit.ts";
import { expect, test, vi } from "vitest";
import { dovecot, MailServer } from "./mail-server.test-kit.ts";
import { MailSink, until } from "./mail-sink.test-kit.ts";

test.runIf(dovecot.here)(
  `CHN-04: EM-05: a mail is answered in its thread: Auto-Submitted, In-Reply-To, References, one Re:, plain and HTML${dovecot.why}`,
  async () => {
    await using t = await startEmail();
    const root = "<root@mail.example>";
    const asked = t.write({
      subject: "AW: Re: A question",
      text: "hi there",
      headers: [`References: ${root}`, `In-Reply-To: ${root}`],
    });
    const [mail] = await t.sink.sent(1);
    const shown = mail!.shown;
    expect([mail!.from, mail!.to]).toEqual([own, [owner]]);
    expect(shown).toMatchObject({ subject: "Re: A question", text: "hello there" });
    expect(shown.html).toContain("hello there");
    expect(shown.header("Auto-Submitted")).toBe("auto-replied");
    expect(shown.header("In-Reply-To")).toBe(asked.id);
    expect(shown.header("References")).toBe(`${root} ${asked.id}`);
    expect(shown.header("From")).toBe(own);
  },
);

test.runIf(dovecot.here)(
  `EM-09: a mail is marked as seen once it was taken, and one that was read before is taken all the same${dovecot.why}`,
  async () => {
    await using t = await startEmail({ serves: false });
    t.server.deliver(own, "From: x@example.net\r\nList-Id: <l>\r\n\r\nlist");
    await t.host.serve();
    t.write({ text: "one" });
    await t.sink.sent(1);
    await until(() => t.server.flags(own).filter((flags) => flags.includes("S")).length === 1);
    const seen = t.write({ text: "two" });
    await t.sink.sent(2);
    expect(t.sink.mails[1]!.shown.header("In-Reply-To")).toBe(seen.id);
  },
);

test.runIf(dovecot.here)(
  `EM-10: the first start takes nothing that is older than the start${dovecot.why}`,
  async () => {
    await using t = await startEmail({ serves: false, plugins: [memoryStore(), fakeProvider([lastSaid])] });
    t.write({ text: "old", at: new Date(Date.now() - 3_600_000) });
    await t.host.serve();
    t.write({ text: "new" });
    const [mail] = await t.sink.sent(1);
    expect(mail!.shown.text).toBe("new");
  },
);

test.runIf(dovecot.here)(
  `EM-10: once it was connected, a server whose clock is wrong holds nothing back, also over a restart${dovecot.why}`,
  async () => {
    const store = createMemoryStore();
    const plugins = [memoryStore(store), fakeProvider([lastSaid])];
    const late = new Date(Date.now() - 7_200_000);
    await using first = await startEmail({ plugins });
    const { server, sink } = first;
    await until(async () => JSON.stringify(await first.check("email-status")).includes("connected for"));
    await first.host.stop();
    first.write({ text: "while it was down", at: late });
    await using second = await startEmail({ server, sink, plugins });
    await sink.sent(1);
    second.write({ text: "while it ran", at: late });
    await sink.sent(2);
    expect(sink.mails.map(({ shown }) => shown.text)).toEqual(["while it was down", "while it ran"]);
  },
);

const plainServer = "protocol imap {\n  imap_capability = IMAP4rev1 SASL-IR LITERAL+ IDLE ID UIDPLUS\n}";

test.runIf(dovecot.here).each([
  ["and its clock is an hour behind", 3_600_000, ""],
  ["and its clock is an hour ahead", -3_600_000, ""],
  ["and it knows dates alone", 0, plainServer],
])(
  `EM-10: what comes between the first start and the first connection is taken, what is older is not, where the server is away at first %s${dovecot.why}`,
  async (_how, aheadMs, more) => {
    const plugins = [memoryStore(createMemoryStore()), fakeProvider([lastSaid])];
    await using server = await MailServer.start({ more });
    await using sink = await MailSink.start();
    const hour = new Date(Date.now() - 3_600_000);
    writeTo(server, { text: "older", at: hour });
    // It goes on: a clock that stands still makes whatever takes longer than a second look older
    // than it is.
    const real = Date.now.bind(Date);
    const clock = vi.spyOn(Date, "now").mockImplementation(() => real() + aheadMs);
    try {
      const table = { password: "wrong-pass-word" };
      await using first = await startEmail({ server, sink, plugins, table });
      await until(async () => JSON.stringify(await first.check("email-status")).includes("Login error"));
      await first.host.stop();
      writeTo(server, { text: "before it was connected" });
      await using second = await startEmail({ server, sink, plugins });
      await sink.sent(1);
      second.write({ text: "after" });
      await sink.sent(2);
    } finally {
      clock.mockRestore();
    }
    expect(sink.mails.map(({ shown }) => shown.text)).toEqual(["before it was connected", "after"]);
  },
);

test.runIf(dovecot.here)(
  `EM-10: what comes while the service is down is answered at its next start, once${dovecot.why}`,
  async () => {
    const store = createMemoryStore();
    const plugins = [memoryStore(store), fakeProvider([lastSaid])];
    await using first = await startEmail({ plugins });
    const { server, sink } = first;
    first.write({ text: "one" });
    await sink.sent(1);
    await until(() => server.flags(own).some((flags) => flags.includes("S")));
    await first.host.stop();
    first.write({ text: "two" });
    await using second = await startEmail({ server, sink, plugins });
    await sink.sent(2);
    second.write({ text: "three" });
    await sink.sent(3);
    const texts = sink.mails.map(({ shown }) => shown.text);
    expect(texts).toEqual(["one", "two", "three"]);
  },
);

test.runIf(dovecot.here)(
  `EM-08: a mailbox that numbers its mails anew is read again, and nothing is answered twice or lost${dovecot.why}`,
  async () => {
    const store = createMemoryStore();
    const plugins = [memoryStore(store), fakeProvider([lastSaid])];
    await using first = await startEmail({ plugins });
    const { server, sink } = first;
    for (const text of ["one", "two"]) first.write({ text });
    await sink.sent(2);
    await until(() => server.flags(own).filter((flags) => flags.includes("S")).length === 2);
    await first.host.stop();
    server.renumber(own);
    first.write({ text: "three" });
    // The new numbers begin again at one.
    await using second = await startEmail({ server, sink, plugins });
    await sink.sent(3);
    second.write({ text: "four" });
    await sink.sent(4);
    const texts = sink.mails.map(({ shown }) => shown.text);
    expect(texts.toSorted()).toEqual(["four", "one", "three", "two"]);
  },
);

test.runIf(dovecot.here)(
  `EM-11: imap_idle tells at once; where it is false, or the server knows no IDLE, it is looked every poll_seconds${dovecot.why}`,
  async () => {
    await using idle = await startEmail({ table: { poll_seconds: 3_600 } });
    idle.write({});
    await idle.sink.sent(1);
    await until(() => idle.server.log.includes("Login: user"));
    idle.write({});
    await idle.sink.sent(2);
    await using polled = await startEmail({ table: { imap_idle: false, poll_seconds: 1 } });
    polled.write({});
    await polled.sink.sent(1);
    polled.write({});
    await polled.sink.sent(2);
    const more = "protocol imap {\n  imap_capability = IMAP4rev1 SASL-IR LITERAL+ ID UIDPLUS\n}";
    await using old = await startEmail({ table: { poll_seconds: 1 }, mail: { more } });
    old.write({});
    await old.sink.sent(1);
    old.write({});
    await old.sink.sent(2);
    expect(JSON.stringify(await old.check("email"))).toContain("every 1 s, as it knows no IDLE");
  },
);

test.runIf(dovecot.here)(
  `EM-01: \`@example.com\` lets that domain in alone, in any case of letters; others get no answer and one record${dovecot.why}`,
  async () => {
    await using t = await startEmail({ table: { allowed_senders: ["@Example.com"], owners: [] } });
    for (const from of ["x@sub.example.com", "x@notexample.com", "x@example.com.evil.net", stranger])
      t.write({ from });
    t.write({ from: "Ada <ADA@EXAMPLE.COM>" });
    const [mail] = await t.sink.sent(1);
    expect(mail!.to).toEqual([owner]);
    const ignored = t.host.audit.filter(({ event_type }) => event_type === "inbound_ignored");
    expect(ignored.length).toBe(4);
    expect(t.sink.mails.length).toBe(1);
  },
);

test.runIf(dovecot.here)(
  `EM-02: the address in From decides: no display name, no Sender, no Reply-To, and two headers From are nobody${dovecot.why}`,
  async () => {
    await using t = await startEmail();
    const headers = [`Sender: ${owner}`, `Reply-To: ${owner}`];
    t.write({ from: `"${owner}" <${stranger}>`, headers });
    t.write({ from: owner, headers: [`From: ${stranger}`] });
    t.write({ from: `${owner}, ${stranger}` });
    t.write({ from: stranger, headers: [`From: ${owner}`] });
    t.write({ from: member, headers: [`Reply-To: ${stranger}`] });
    const [mail] = await t.sink.sent(1);
    expect([mail!.to, t.sink.mails.length]).toEqual([[member], 1]);
  },
);

test.runIf(dovecot.here)(`EM-18: the server is told the name of the program (ID)${dovecot.why}`, async () => {
  await using t = await startEmail();
  await until(() => t.server.log.includes("ID sent: name=gantry"));
  expect(t.server.log).not.toContain("postalsys");
});
