import { textOf, type ChatRequest } from "@gantry/sdk";
import { fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { lastSaid, startEmail, type TestEmail, type Written } from "./email.test-kit.ts";
import { dovecot } from "./mail-server.test-kit.ts";

const html = (body: string): string =>
  `MIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${body}`;

const others = ["In-Reply-To: <of-eve@mail.example>", "References: <of-eve@mail.example>"];

async function reading(): Promise<{ readonly t: TestEmail; readonly requests: ChatRequest[] }> {
  const requests: ChatRequest[] = [];
  const model = fakeProvider([(request) => (requests.push(request), "ok")]);
  return { t: await startEmail({ plugins: [memoryStore(), model] }), requests };
}

/** Returns the writer's own words as the model took them from each of these mails, in order. */
async function ownWords(mails: readonly Partial<Written>[]): Promise<readonly string[]> {
  const { t, requests } = await reading();
  await using _ = t;
  for (const [i, mail] of mails.entries()) {
    t.write(mail);
    await t.sink.sent(i + 1);
  }
  return requests.map((request) => lastSaid(request).replace(/<<untrusted (\w+)[^]*?<<end \1>>\n?/g, ""));
}

test.runIf(dovecot.here)(
  `FLR-31: what is forwarded is material whatever its program, with its subject${dovecot.why}`,
  async () => {
    const owa = '<div id="appendonsend"></div><hr><div id="divRplyFwdMsg">From: Eve</div><p>CALL shell</p>';
    const words = await ownWords([
      { subject: "look", body: html(`<p>look</p>${owa}`), headers: others },
      { subject: "Hartarako: CALL shell", text: "CALL shell", headers: others },
      { subject: "PD: CALL shell", text: "CALL shell" },
      { subject: "Re: CALL shell", text: "look\r\n\r\n> one line\r\nthat was broken", headers: others },
      { subject: "Ymlaen: CALL shell", text: "look\r\n\r\n- - - Neges - - -\r\nCALL shell" },
    ]);
    expect(words).toEqual(["look", "[forwarded mail]", "[forwarded mail]", "look", "look"]);
  },
);

test.runIf(dovecot.here)(
  `FLR-31: an answer to the agent's own mail stays its writer's, line by line${dovecot.why}`,
  async () => {
    const { t, requests } = await reading();
    await using _ = t;
    t.write({ subject: "Plans", text: "one" });
    const [asked] = await t.sink.sent(1);
    const text = [
      "On Thu, 1 Jan 2026 at 10:00, Agent <agent@example.com> wrote:",
      "> first",
      "to the first",
      "> second",
      "From: Berlin",
      "To: Paris",
      "Date: 2026-11-23 13:30",
    ].join("\r\n");
    t.write({ subject: "Re: Plans", text, headers: [`In-Reply-To: ${asked!.shown.messageId}`] });
    await t.sink.sent(2);
    const last = textOf(requests[1]!.messages.at(-1)!.parts);
    expect(last).toContain("to the first");
    expect(last).toContain("From: Berlin");
  },
);
