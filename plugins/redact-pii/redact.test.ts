import * as fc from "fast-check";
import { expect, test } from "vitest";
import { definePlugin, type Plugin, type Provider } from "@gantry/sdk";
import { Redactors, type Redactor } from "@gantry/sdk/fill";
import { startTestHost } from "@gantry/sdk/testing";
import plugin from "./index.ts";
import { processorMs } from "../../test/helpers/processor-time.ts";

/** A model that says these pieces, one after the other. */
function speaker(pieces: readonly string[]): Plugin {
  const provider: Provider = {
    name: "speaker",
    capabilities: { nativeToolCalling: true, vision: false, streaming: true },
    async *chat() {
      for (const text of pieces) yield { type: "text", text };
      yield { type: "stop", reason: "EndTurn" };
    },
    models: async () => [],
  };
  return definePlugin({
    name: "provider-speaker",
    taps: ["resolveProvider"],
    setup: (host) => host.hooks.resolveProvider.tap(() => provider),
  });
}

async function redactor(security: Record<string, unknown> = {}): Promise<Redactor> {
  await using host = await startTestHost({ plugins: [plugin], config: { security } });
  return host.slot(Redactors).get("redact-pii") as Redactor;
}
const { redact: redacting } = await redactor();
/** It answers at once. */
const redact = (text: string): string => redacting(text) as string;
const x = (length: number, of = "aB3dE6gH9") => of.repeat(Math.ceil(length / of.length)).slice(0, length);

const luhn = (digits: string) =>
  [...digits]
    .toReversed()
    .reduce(
      (sum, digit, at) => sum + (at % 2 ? [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][Number(digit)]! : Number(digit)),
      0,
    ) %
    10 ===
  0;

/** Put together here, so that no scanner takes this file for a leak. */
const credentials: Readonly<Record<string, string>> = {
  anthropic: `sk-${"ant"}-api03-${x(80)}`,
  openai: `sk-${"proj"}-${x(48)}`,
  stripe: `${"sk"}_live_${x(24)}`,
  github: `${"ghp"}_${x(36)}`,
  githubFine: `${"github"}_pat_${x(70)}`,
  gitlab: `${"glpat"}-${x(20)}`,
  slack: `${"xoxb"}-123456789012-${x(24)}`,
  aws: `${"AKIA"}${"ABCD2345".repeat(2)}`,
  google: `${"AIza"}${x(35)}`,
  googleOauth: `${"ya29"}.${x(120)}`,
  meta: `${"EAA"}${x(120)}`,
  telegram: `123456789:${"AA"}${x(33)}`,
  huggingFace: `${"hf"}_${x(34)}`,
  npm: `${"npm"}_${x(36)}`,
  sendgrid: `${"SG"}.${x(22)}.${x(43)}`,
  own: `${"gt"}_${x(43)}`,
  jwt: `${"eyJ"}${x(30)}.${"eyJ"}${x(60)}.${x(43)}`,
  pem: `-----BEGIN RSA ${"PRIVATE"} KEY-----\n${`${x(64)}\n`.repeat(12)}-----END RSA ${"PRIVATE"} KEY-----`,
};
const secrets: readonly (readonly [text: string, secret: string])[] = [
  ["mail me at Jane.Doe+x@mail.example.co.uk, please", "Jane.Doe+x@mail.example.co.uk"],
  ["<jörg@bücher.example>", "jörg@bücher.example"],
  ["call +49 151 23456789 now", "+49 151 23456789"],
  ["call +4915123456789.", "+4915123456789"],
  ["(415) 555-2671", "(415) 555-2671"],
  ["415-555-2671", "415-555-2671"],
  ["(555) 123-4567", "(555) 123-4567"],
  ["555-123-4567", "555-123-4567"],
  ["+1 (415) 555-2671", "+1 (415) 555-2671"],
  ["Tel. 030 12345678", "030 12345678"],
  ["0151-23456789", "0151-23456789"],
  ["card 4111 1111 1111 1111 exp", "4111 1111 1111 1111"],
  ["4111111111111111", "4111111111111111"],
  ["5555-5555-5555-4444", "5555-5555-5555-4444"],
  ["amex 3782 822463 10005", "3782 822463 10005"],
  ["DE89 3704 0044 0532 0130 00", "DE89 3704 0044 0532 0130 00"],
  ["IBAN:GB82WEST12345698765432 AND MORE", "GB82WEST12345698765432"],
  ["FR14 2004 1010 0505 0001 3M02 606 UND", "FR14 2004 1010 0505 0001 3M02 606"],
  ["card 4111 1111\n1111 1111 exp", "4111 1111\n1111 1111"],
  ["card 4111\t1111\t1111\t1111 exp", "4111\t1111\t1111\t1111"],
  ["card 4111.1111.1111.1111", "4111.1111.1111.1111"],
  ["card 4111\u00a01111\u00a01111\u00a01111", "4111\u00a01111\u00a01111\u00a01111"],
  ["card 4111\u20131111\u20131111\u20131111", "4111\u20131111\u20131111\u20131111"],
  ["karte ４１１１ １１１１ １１１１ １１１１", "４１１１ １１１１ １１１１ １１１１"],
  ["بطاقة ٤١١١١١١١١١١١١١١١", "٤١١١١١١١١١١١١١١١"],
  ["कार्ड ४१११११११११११११११", "४१११११११११११११११"],
  ["iban de89370400440532013000", "de89370400440532013000"],
  ["DE89-3704-0044-0532-0130-00", "DE89-3704-0044-0532-0130-00"],
  ["DE89 3704 0044\n0532 0130 00", "DE89 3704 0044\n0532 0130 00"],
  ["ＤＥ８９３７０４００４４０５３２０１３０００", "ＤＥ８９３７０４００４４０５３２０１３０００"],
  ["+49\u00a0151\u00a023456789", "+49\u00a0151\u00a023456789"],
  ["＋４９１５１２３４５６７８９", "＋４９１５１２３４５６７８９"],
  ["dial 0049 151 23456789", "0049 151 23456789"],
  ["jane＠mail.example", "jane＠mail.example"],
  ["jane@mail.xn--p1ai", "jane@mail.xn--p1ai"],
  ["https://api.test/v1?key=abc123&x=1", "abc123"],
  ["GET /x?a=1&access_token=zzz9zzz HTTP/1.1", "zzz9zzz"],
  ["/chatapp?hub.verify_token=tok3n&hub.mode=x", "tok3n"],
  ["Authorization: Bearer abcdefgh12345678", "abcdefgh12345678"],
  ["authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"],
  ['{"password":"hunter2!"}', "hunter2!"],
  ["DB_PASSWORD=s3cretpass", "s3cretpass"],
  [
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  ],
  ["client_secret: 'abc123def'", "abc123def"],
  ["postgres://app:pa55word@db.test/x", "pa55word"],
  ...Object.values(credentials).map((secret) => [`the key is ${secret} and`, secret] as const),
];
const plain = [
  "1763709630123 1763709630123456 1763709630123456789",
  "2026-11-21T07:20:30Z",
  "2026-11-21",
  "21.11.2026",
  "01-02-2024",
  "11/21/2026 07:20",
  "550e8400-e29b-41d4-a716-446655440000",
  "123e4567-1234-1234-1234-123456789012",
  "d41d8cd98f00b204e9800998ecf8427e",
  "4f174651234567890123456789012345678901ab",
  "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  "v1.2.3-rc.4+build.567",
  "1.2.3.4",
  "192.168.1.1:8080",
  "10.0.0.0/8",
  "4111 1111 1111 1112",
  "1234567890123456",
  "4111111111111112",
  "3.14159265358979",
  "1e10",
  "0x7f000001",
  "100,000,000.00",
  "+5",
  "+0200",
  "a+b=c",
  "-1234567890",
  "#123456",
  "$1,234.56",
  "git@github.com:owner/name.git",
  "@scope/name@1.2.3",
  "npm i vitest@5.1.0",
  "user@localhost",
  "@decorator",
  "a@b",
  "foo(@Param() x)",
  "max_tokens: 8192",
  "token: string;",
  "const token = getToken();",
  "password: required",
  "the secret is out",
  "Enter your password:",
  'type="password"',
  "tokens=1024",
  "key=value",
  "api_key = undefined",
  "GB82WEST12345698765433",
  "DE99",
  "ABCD12345678901234",
  "sk-learn-based-pipeline-for-text",
  "eyJhbGciOi",
  "AKIA",
  "-----BEGIN CERTIFICATE-----",
  "Bearer token",
  "Basic understanding of authorization",
  "https://example.com/a?page=2&sort=asc#key",
  "http://localhost:8080/v1/chat/completions",
  "line 12345 column 678",
  "total 0123",
  "chmod 0644 file",
  "-rw-r--r-- 1 root root 1265648 Apr 18 2025 /bin/bash",
  "2.5 - 3.5 (100%)",
  "ISBN 978-3-16-148410-0",
  "4111\n1111\n1111\n1111",
  "00 11 22 33 44 55",
  "0010020 061141 020040",
  "de89370400440532013001",
  "１２３４ ５６７８ ９０１２ ３４５６",
  "naïve – 100 – 200",
];

test("SEC-09: personal data and credentials are removed from a text, the rest of it stays", () => {
  const left = secrets.filter(([text, secret]) => {
    const clean = redact(text);
    const [before = "", after = ""] = text.split(secret);
    return clean.includes(secret) || !clean.startsWith(before) || !clean.endsWith(after);
  });
  expect(left.map(([text]) => [text, redact(text)])).toEqual([]);
});

test("SEC-09: numbers, dates, versions, hashes, ids and code are no alarm", () => {
  expect(plain.filter((text) => redact(text) !== text).map((text) => [text, redact(text)])).toEqual([]);
});

test("SEC-09: redacting twice changes nothing more", () => {
  for (const [text] of secrets) expect(redact(redact(text))).toBe(redact(text));
});

test("SEC-09: card and IBAN need their check digits", () => {
  const property = fc.property(fc.integer({ min: 0, max: 10 ** 12 - 1 }), (rest) => {
    const number = `4111${String(rest).padStart(12, "0")}`;
    return redact(number) === (luhn(number) ? "[redacted card number]" : number);
  });
  expect(fc.defaultReportMessage(fc.check(property)) ?? "held").toBe("held");
  for (let check = 2; check <= 98; check++) {
    const iban = `DE${String(check).padStart(2, "0")}370400440532013000`;
    expect(redact(iban)).toBe(check === 89 ? "[redacted IBAN]" : iban);
  }
});

test("SEC-09: the owner's patterns are removed as well, and no pattern can hang the service", async () => {
  const own = await redactor({ pii_patterns: ["EMP-\\d{4}", "(?i)project (tiger|lion)", "(a+)+$"] });
  expect(own.redact("EMP-1234 works on Project TIGER")).toBe("[redacted] works on [redacted]");
  expect(await processorMs(() => own.redact(`${"a".repeat(50_000)}!`))).toBeLessThan(2_000);
});

test("SEC-09: a pattern that cannot be used stops the start and names the pattern", async () => {
  for (const bad of ["(", "(?=x)", "(a)\\1", "*", "", "x*", "[z-a]"]) {
    await expect(redactor({ pii_patterns: [bad] })).rejects.toThrow("security.pii_patterns");
  }
});

test("SEC-09: redact_pii false leaves every text alone", async () => {
  const off = await redactor({ redact_pii: false, pii_patterns: ["x"] });
  for (const [text] of secrets) expect(off.redact(text)).toBe(text);
  expect(off.holdBack).toBe(0);
});

test("SEC-09: long and hostile texts take time in proportion to their length", async () => {
  const hostile = [
    "a@",
    "a.",
    "+1 ",
    "1",
    "4 ",
    "DE89 ",
    "eyJa.",
    "password=",
    "-----BEGIN PRIVATE KEY-----",
    "?key=",
    "sk-",
    "bearer ",
    "x://a:",
    "0123 ",
    "(0",
    "a-",
    "ä@ä.",
    "４",
    "4111\n",
    "de89\n",
    "0049 ",
  ];
  for (const piece of hostile) {
    const time = (length: number) => {
      const text = piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
      return processorMs(() => redact(text));
    };
    await time(20_000);
    expect([piece, (await time(200_000)) < 1_500]).toEqual([piece, true]);
  }
});

test("SEC-09: replies, streamed in pieces of any size, hold no secret", async () => {
  const text = secrets.map(([one]) => one).join(" ; ");
  for (const size of [1, 3, 7, 64, 500]) {
    const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
    const config = { security: { redact_for_owner: true } };
    await using host = await startTestHost({ plugins: [plugin, speaker(pieces)], config });
    let shown = "";
    const { reply } = await host.ask("hi", {
      onEvent: (event) => void (event.type === "delta" && (shown += event.text)),
    });
    for (const [, secret] of secrets)
      expect([size, shown.includes(secret), reply.includes(secret)]).toEqual([size, false, false]);
    expect(shown).toBe(reply);
  }
});

test("SEC-09: logs and audit records hold no secret", async () => {
  const talker = definePlugin({
    name: "talker",
    setup: (host) =>
      host.log.info({ key: credentials["github"], mail: "a@b.example" }, "from jane@mail.example"),
  });
  await using host = await startTestHost({ plugins: [plugin, talker] });
  await host.call("nothing", { card: 4111111111111111, text: `x ${credentials["aws"]} jane@mail.example` });
  const written = JSON.stringify([host.logs, host.audit]);
  expect(written).toContain("[redacted e-mail]");
  expect(written).not.toContain("4111111111111111");
  for (const secret of ["jane@mail.example", "a@b.example", credentials["github"], credentials["aws"]])
    expect(written).not.toContain(secret);
});
