import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isVouchedFor } from "./authenticity.ts";
import { readHead } from "./read-head.ts";
import { readStructured } from "./structured-header.ts";

const server = "mx.example.com";
const numRuns = process.env["GANTRY_LONG"] ? 100_000 : 3_000;

/**
 * Returns true if a mail from ada@example.com with these headers, topmost first, is vouched for.
 */
function isVouched(...results: readonly string[]): boolean {
  return isVouchedFor({ from: { address: "ada@example.com" }, all: () => results }, server);
}

test.each([
  `${server}; dmarc=pass header.from=example.com`,
  `${server} 1; spf=none; dmarc=pass (p=reject) header.from=example.com`,
  `(a) ${server} (b) 1 (c) ; dmarc (d) = (e) pass (f) header (g) . (h) from (i) = (j) Example.COM`,
  `"${server}"; DMARC/1=Pass header.from="example.com" policy.dmarc=none;`,
  `${server}; dkim=pass header.i=@gmail.com header.b="abc/d;ef="; spf=pass (google.com: domain of
    a@b designates 192.0.2.1) smtp.mailfrom=a@b.org; dmarc=pass (p=NONE) header.from=example.com`,
  `${server}; arc=pass (i=1 dmarc=pass fromdomain=a.org); dmarc=pass header.from=example.com`,
  `${server}; dkim=pass header.b=a/b+c= x-bits=2048; dmarc=pass policy.p=x header.from=example.com`,
  `${server}; spf=pass smtp.mailfrom="a;dmarc=fail"@b.org; dmarc=pass header.from=example.com`,
])("FLR-30: %j vouches for a mail of example.com", (header) => {
  expect(isVouched(header)).toBe(true);
});

test.each([
  // A comment that the writer of the mail ends, and the server's own result behind it.
  `${server}; spf=pass (mx: domain of "a); dmarc=pass header.from=example.com; (b"@evil.example
    designates 1.2.3.4 as permitted sender) smtp.mailfrom=evil.example; dmarc=fail (p=none)
    header.from=example.com`,
  `${server}; dmarc=pass`,
  `${server}; dmarc=pass header.d=example.com`,
  `${server}; dmarc=pass header.from=example.com header.from=example.com`,
  `${server}; dmarc=pass header.from=example.com; dmarc=pass header.from=example.com`,
  `${server}; dmarc=pass header.from=example.com; dmarc=fail header.from=example.com`,
  `${server}; dmarc=fail dmarc=pass header.from=example.com`,
  `${server}; spf=pass dmarc=pass header.from=example.com`,
  `${server}; dmarc=pass header.from=sub.example.com`,
  `${server}; dmarc=pass header.from=example.com@evil.example`,
  `${server}; dmarc=pass header.from=exam(x)ple.com`,
  `${server}; dmarc=pass (p=none header.from=example.com`,
  `${server}; dmarc=pass p=none) header.from=example.com`,
  `${server}; dmarc=pass reason="x header.from=example.com`,
  `${server}; dmarc=pass header.from=example.com \\`,
  `${server}; dmarc=pass header.from=example.com and more`,
  `${server}; dmarc=pass header.from=example.com; ; spf=pass`,
  `${server}; dmarc/2=pass header.from=example.com`,
  `${server}; dmarc=passed header.from=example.com`,
  `${server}; "dmarc=pass header.from=example.com"`,
  `${server}; (dmarc=pass header.from=example.com)`,
  `${server}; none`,
  `${server} x; dmarc=pass header.from=example.com`,
  `${server}.evil.example; dmarc=pass header.from=example.com`,
  "",
])("FLR-30: %j does not vouch for a mail of example.com", (header) => {
  expect(isVouched(header)).toBe(false);
});

const good = `${server}; dmarc=pass header.from=example.com`;

test.each([
  ["that says fail", `${server}; dmarc=fail header.from=example.com`],
  ["that says nothing of dmarc", `${server}; spf=pass`],
  ["that breaks the grammar", `${server}; spf=pass (`],
  ["that has no server's name", `"; dmarc=pass`],
  ["that begins with a result", "spf=fail smtp.mailfrom=x.example; dmarc=fail header.from=example.com"],
  ["that has one result alone", "dmarc=fail header.from=example.com"],
])("FLR-30: a header below one of the own server %s does not vouch", (_how, above) => {
  expect(isVouched(above, good)).toBe(false);
});

test("FLR-30: a header of another server above that of the own one changes nothing", () => {
  expect(isVouched("mx.other.example; dmarc=fail header.from=example.com", good)).toBe(true);
  expect(isVouched("mx.other.example; dmarc=pass header.from=example.com")).toBe(false);
});

const hostile = fc.constantFrom(
  "dmarc=pass",
  "dmarc=fail",
  "dmarc",
  "header.from=example.com",
  "header.from=evil.org",
  "spf=pass",
  "example.com",
  server,
  ...'=;()"\\ @\tx/1',
);
const words = fc.array(hostile, { maxLength: 12 }).map((parts) => parts.join(" "));
const comment = words.map((text) => `(${text.replace(/[()\\]/g, "\\$&")})`);
const quoted = words.map((text) => `"${text.replace(/["\\]/g, "\\$&")}"`);
const result = fc.constantFrom("pass", "fail", "none");

/** A result as a server writes it, and whether it is dmarc's and its domain. */
const written = fc.record({
  method: fc.constantFrom("dmarc", "spf", "dkim"),
  result,
  from: fc.constantFrom("example.com", "evil.org", undefined),
  comments: fc.tuple(comment, comment),
  reason: fc.option(quoted),
});

test("FLR-30: whatever comments and quotes hold, just one pass for the domain vouches", () => {
  fc.assert(
    fc.property(fc.array(written, { maxLength: 3 }), (results) => {
      const texts = results.map(({ method, result: said, from, comments, reason }) => {
        const [before, after] = comments;
        const why = reason === null ? "" : ` reason=${reason}`;
        const domain = from === undefined ? "" : ` header.from=${from}`;
        return `; ${before} ${method}=${said}${why} ${after}${domain}`;
      });
      const dmarc = results.filter(({ method }) => method === "dmarc");
      const [one] = dmarc;
      const isFor = one?.result === "pass" && one.from === "example.com";
      const expected = dmarc.length === 1 && isFor;
      expect(isVouched(`${server}${texts.join("")}`)).toBe(expected);
    }),
    { numRuns },
  );
});

test("FLR-30: of any text, only one dmarc result outside of comments and quotes vouches", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        words,
        fc.array(hostile, { maxLength: 20 }).map((all) => all.join("")),
      ),
      (text) => {
        const header = `${good}; ${text}`;
        for (const value of [header, `${server}; ${text}; dmarc=pass header.from=example.com`]) {
          if (!isVouched(value)) continue;
          const plain = readStructured(value)?.text.split(";") ?? [];
          const found = plain.filter((one) => /^\s*dmarc\b/i.test(one));
          expect(found).toHaveLength(1);
          expect(found[0]).toMatch(/^\s*dmarc\s*=\s*pass\s/);
          expect(found[0]).toMatch(/header\.from\s*=\s*example\.com(\s|$)/);
          expect(found[0]).not.toContain("evil.org");
        }
      },
    ),
    { numRuns },
  );
});

test("FLR-30: a header that is cut off within a comment or a quoted string does not vouch", () => {
  fc.assert(
    fc.property(fc.oneof(comment, quoted), fc.nat(), (held, at) => {
      const cut = held.slice(0, 1 + (at % (held.length - 1)));
      expect(isVouched(`${good} ${cut}`)).toBe(false);
    }),
    { numRuns },
  );
});

async function fromOf(value: string): Promise<string | undefined> {
  const head = await readHead(Buffer.from(`From: ${value}\r\nSubject: x\r\n\r\n`));
  return head.from?.address;
}

test.each([
  "ada@example.com",
  "<ada@example.com>",
  "Ada <Ada@Example.com>",
  '"Lovelace, Ada <x@evil.example>" <ada@example.com>',
  "ada@example.com (Ada <x@evil.example>)",
  "=?utf-8?Q?Ada_L=C3=B6ve?= <ada@example.com> (work)",
  "eve@evil.example <ada@example.com>",
])("FLR-30: From: %s is ada@example.com", async (value) => {
  expect(await fromOf(value)).toBe("ada@example.com");
});

test.each([
  '"x" <ada@example.com>@evil.example',
  "<ada@example.com> eve@evil.example",
  "<ada@example.com> <eve@evil.example>",
  "<eve@evil.example>, <ada@example.com>",
  "ada@example.com eve@evil.example",
  "ada@example.com, ",
  "friends: ada@example.com;",
  "Ada (<ada@example.com>",
  '"Ada <ada@example.com>',
  "<ada@example.com@evil.example>",
  "<@evil.example:ada@example.com>",
  "",
])("FLR-30: From: %s is nobody's", async (value) => {
  expect(await fromOf(value)).toBeUndefined();
});
