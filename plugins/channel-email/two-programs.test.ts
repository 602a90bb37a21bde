import { fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { lastSaid, startEmail, writeTo, type TestEmail } from "./email.test-kit.ts";
import { dovecot, MailServer } from "./mail-server.test-kit.ts";
import { MailSink, until } from "./mail-sink.test-kit.ts";

const words = Array.from({ length: 12 }, (_, n) => `question ${n}`);

interface Answers {
  readonly all: readonly string[];
  /** Lines in which each of the two names the other: of log, status and doctor. */
  readonly said: readonly (readonly string[])[];
}

/** Runs two services of their own on one mailbox, both told of each mail at once. */
async function twoOn(server: MailServer): Promise<Answers> {
  await using sink = await MailSink.start();
  const one = (): Promise<TestEmail> =>
    startEmail({ server, sink, plugins: [memoryStore(), fakeProvider([lastSaid])] });
  await using first = await one();
  await using second = await one();
  const both = [first, second];
  for (const t of both)
    await until(async () => JSON.stringify(await t.check("email-status")).includes("connected for"));
  for (const text of words) writeTo(server, { text });
  const told = () => sink.mails.map(({ shown }) => shown.text);
  await until(() => new Set(told()).size === words.length);
  const said = await Promise.all(both.map(warnings));
  // Whatever one of them was still about to send goes out before it ends.
  await Promise.all(both.map(({ host }) => host.stop()));
  return { all: told().toSorted(), said };
}

async function warnings(t: TestEmail): Promise<readonly string[]> {
  const rows = await Promise.all(["email-status", "email-doctor"].map((name) => t.check(name)));
  return [
    t.host.logs.filter(({ level }) => level === "error").map(({ message }) => message),
    ...rows.map((some) =>
      some.filter(({ what }) => what === "email mailbox").map((row) => JSON.stringify(row)),
    ),
  ].map((texts) => texts.filter((text) => text.includes("another program answers")).join("\n"));
}

test.runIf(dovecot.here)(
  `CHN-04: two programs on one mailbox answer each mail once, and who was late says so with the cure in log, status and doctor${dovecot.why}`,
  async () => {
    await using server = await MailServer.start();
    const { all, said } = await twoOn(server);
    expect(all).toEqual(words.toSorted());
    const late = said.filter((texts) => texts.some((text) => text !== ""));
    expect(late.length).toBeGreaterThan(0);
    for (const text of late.flat()) expect(text).toMatch(/another program answers mail .*end one of them/);
  },
);

test.runIf(dovecot.here)(
  `CHN-04: on a server that counts no changes, two programs that may both have answered say so${dovecot.why}`,
  async () => {
    const more = "protocol imap {\n  imap_capability = IMAP4rev1 SASL-IR LITERAL+ IDLE ID UIDPLUS\n}";
    await using server = await MailServer.start({ more });
    const { all, said } = await twoOn(server);
    expect([...new Set(all)]).toEqual(words.toSorted());
    expect(said.flat().join("\n")).toMatch(/another program answers mail .*end one of them/);
  },
);
