import * as fc from "fast-check";
import { expect, test } from "vitest";
import { htmlText } from "./html-text.ts";
import { matchesAddress, readAddress, readEntry } from "./mail-address.ts";
import { readSaid } from "./said.ts";
import { bareSubject, replySubject } from "./subject.ts";

test.each([
  ["yes\n\nOn Thu, 1 Jan 2026 at 10:00, Agent <a@example.com>\nwrote:\n\n> May it run?\n> Say so.", "yes", 1],
  ["ja\n\nAm 01.01.26 um 10:00 schrieb Agent:\n> Darf es?", "ja", 1],
  ["oui\n\nLe jeu. 1 janv. 2026, Agent a écrit :\n> Peut-il ?", "oui", 1],
  ["ok\n\n-----Original Message-----\nFrom: Agent\nSent: today\n\nold", "ok", 1],
  ["ok\n\n________________________________\nFrom: Agent\nSent: x\nTo: y\n\nold", "ok", 1],
  ["ok\n\nFrom: Agent\nSent: Thursday\nTo: Ada\nSubject: x\n\nold", "ok", 1],
  ["look\n\n---------- Forwarded message ---------\nFrom: Eve\n\nforwarded words", "look", 1],
  ["yes\n\nSent from my iPhone", "yes", 0],
  ["yes\n-- \nAda\nEngineer", "yes", 0],
  ["yes\n\n-- \nAda\n\nOn Monday, Bob wrote:\n> old", "yes", 1],
  [
    "> first\nto the first\n> second\nto the second",
    "[quoted 1]\nto the first\n[quoted 2]\nto the second",
    2,
  ],
  ["a list:\n- one\n- two\n\nand -- no signature", "a list:\n- one\n- two\n\nand -- no signature", 0],
])("EM-13: %j says %j", (body, text, quoted) => {
  const said = readSaid(body.replace(/\n/g, "\r\n"));
  expect([said.text, said.quoted.length]).toEqual([text, quoted]);
});

test("EM-13: nothing that a line quotes is ever the writer's own word, and no body makes it throw or wait", () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom("", "-- ", "> x", "On x wrote:", "From: a", "To: b", "Sent: c", "_".repeat(30)),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
      const { text, quoted } = readSaid(lines.join("\n"));
      expect(text.split("\n").some((one) => one.startsWith(">"))).toBe(false);
      expect(quoted.every((one) => typeof one === "string")).toBe(true);
    }),
  );
});

test("EM-13: whatever stands in HTML, its text comes, without what is hidden", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 2_000 }), (noise) => {
      expect(typeof htmlText(noise)).toBe("string");
      expect(htmlText(`<p>seen</p><div hidden>secret${noise.replace(/[<>&]/g, "")}</div>`)).toBe("seen");
    }),
  );
});

test("EM-01: an entry means its address or its domain alone, whatever is written", () => {
  fc.assert(
    fc.property(fc.emailAddress(), fc.domain(), (email, domain) => {
      const address = readAddress(email);
      if (address === undefined) return;
      expect(matchesAddress(readEntry(email.toUpperCase()), address)).toBe(true);
      expect(matchesAddress(readEntry(`@${domain}`), address)).toBe(
        address.split("@")[1] === domain.toLowerCase(),
      );
      expect(matchesAddress(readEntry(`@${address.split("@")[1]}`), `${address}.evil.net`)).toBe(false);
      expect(matchesAddress(readEntry(`@${address.split("@")[1]}`), address.replace("@", "@sub."))).toBe(
        false,
      );
    }),
  );
});

test("EM-05: an answer has one Re:, whatever stood before", () => {
  expect(["Plans", "Re: Plans", "RE: AW: Re[2]: Plans", "Fwd: Plans", ""].map(replySubject)).toEqual([
    "Re: Plans",
    "Re: Plans",
    "Re: Plans",
    "Re: Fwd: Plans",
    "Re: your mail",
  ]);
  expect(bareSubject("Re: Fwd: AW: Plans")).toBe("Plans");
});
