import * as fc from "fast-check";
import { expect, test } from "vitest";
import { startTestHost } from "@gantry/sdk/testing";
import { Net } from "@gantry/sdk";
import { addressCheck } from "./addresses.ts";
import { domainCheck } from "./domains.ts";
import plugin from "./index.ts";
import { createNet } from "./net.ts";

const publicDns = async () => ["1.1.1.1", "2606:4700:4700::1111"];
const netFor = (
  allowed: readonly string[],
  blocked: readonly string[] = [],
  lookup: (host: string) => Promise<readonly string[]> = publicDns,
) => createNet({ domains: domainCheck(allowed), addresses: addressCheck(blocked), lookup });
const open = netFor(["*"]);
const codes = async (net: ReturnType<typeof netFor>, urls: readonly string[]) =>
  Object.fromEntries(
    await Promise.all(urls.map(async (url) => [url, (await net.check(url))?.code ?? "allow"] as const)),
  );
const all = (urls: readonly string[], code: string) => Object.fromEntries(urls.map((url) => [url, code]));

const special = [
  "127.0.0.1",
  "127.255.255.254",
  "0.0.0.0",
  "0.0.0.1",
  "10.0.0.1",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.5",
  "169.254.169.254",
  "169.254.0.0",
  "169.254.255.255",
  "169.254.170.2",
  "100.64.0.0",
  "100.127.255.255",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.8",
  "192.0.0.9",
  "192.0.0.11",
  "192.0.2.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.0",
  "198.51.100.255",
  "203.0.113.0",
  "203.0.113.255",
  "192.88.99.1",
  "224.0.0.1",
  "239.1.1.1",
  "240.0.0.1",
  "255.255.255.255",
];
const special6 = [
  "::",
  "::1",
  "::127.0.0.1",
  "::169.254.169.254",
  "::8.8.8.8",
  "::ffff:127.0.0.1",
  "::ffff:168.63.129.16",
  "::ffff:100.100.100.200",
  "::ffff:7f00:1",
  "0:0:0:0:0:ffff:a00:1",
  "64:ff9b::10.0.0.1",
  "64:ff9b::168.63.129.16",
  "64:ff9b::100.100.100.200",
  "64:ff9b:1::1",
  "100::1",
  "2001::1",
  "2001:0:4136:e378:8000:63bf:3fff:fdd2",
  "2001:2::1",
  "2001:10::1",
  "2001:db8::1",
  "2002::1",
  "2002:a00:1::",
  "3fff::1",
  "4000::1",
  "5f00::1",
  "fc00::1",
  "fd00:ec2::254",
  "fd00:ec2::",
  "fe80::1",
  "febf::1",
  "fec0::1",
  "ff02::1",
  "ff0e::1",
];
const notations = [
  "http://2130706433",
  "http://0177.0.0.1",
  "http://0x7f.1",
  "http://127.1",
  "http://0x7f000001",
  "http://127.0.0.1.",
  "http://127.0.0.1?x",
  "http://[::ffff:7f00:1]",
  "http://①②⑦.0.0.1",
  "http://127。0。0。1",
];
const local = [
  "http://localhost",
  "http://localhost.",
  "http://LOCALHOST:8080",
  "http://app.localhost",
  "http://Sub.LocalHost",
  "http://printer.local",
  "http://printer.local.",
  "http://db.internal",
  "http://x",
  "http://router.lan",
  "http://192.168.1.1../",
  "http://a..b",
  "http://1.2.3.4.5",
  "http://a.0x7f",
];

test("SEC-07: every special address is refused in every notation, whatever domains are allowed", async () => {
  const urls = [
    ...special.map((one) => `http://${one}/`),
    ...special6.map((one) => `https://[${one}]/x`),
    ...notations,
    ...local,
  ];
  const answers = await codes(open, urls);
  expect(
    Object.entries(answers).filter(([, code]) => code !== "NET_BLOCKED" && code !== "NET_BAD_URL"),
  ).toEqual([]);
  expect(answers).toMatchObject(
    all(
      [...special.map((one) => `http://${one}/`), ...special6.map((one) => `https://[${one}]/x`)],
      "NET_BLOCKED",
    ),
  );
});

test("SEC-07: what is no plain http address is refused: schemes, users, blanks, nothing", async () => {
  const bad = [
    "",
    " ",
    "example.com",
    "//example.com",
    "ftp://example.com",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:,x",
    "ws://example.com",
    "http://",
    "https://example.com/hello world",
    "http://exam\tple.com",
    "http:\\\\example.com",
    " http://example.com",
    "http://example.com\n",
    "http://a\u200bb.com/",
  ];
  expect(await codes(open, bad)).toEqual(all(bad, "NET_BAD_URL"));
  const users = [
    "https://user@example.com",
    "https://user:pass@10.0.0.1/",
    "http://example.com@127.0.0.1/",
    "http://@example.com",
  ];
  expect(await codes(open, users)).toEqual(all(users, "NET_BLOCKED"));
});

test("SEC-07: addresses that are reachable for all are not refused by the address check", async () => {
  const urls = [
    "http://example.com",
    "http://EXAMPLE.com./",
    "http://notlocal.com/",
    "http://bücher.example.com/",
    "http://a_b.example.com",
    "https://example.com:8443/a?b=c#d",
    "http://1.1.1.1/",
    "http://8.8.8.8/",
    "http://1.0.0.0/",
    "http://93.184.216.34/",
    "http://100.128.0.0/",
    "http://100.63.255.255",
    "http://172.32.0.1",
    "http://198.51.101.0/",
    "http://203.0.112.255/",
    "http://203.0.114.0/",
    "http://198.20.0.0",
    "http://168.63.129.17",
    "http://[2001:1::2]/",
    "http://[2001:1::3]/",
    "http://[2001:3::1]/",
    "http://[2001:4:112::1]/",
    "http://[2620:4f:8000::1]/",
    "http://[2001:4860:4860::8888]/",
    "http://[2606:4700:4700::1111]/",
    "http://[64:ff9b::1.1.1.1]/",
    "http://[::ffff:8.8.8.8]/",
    "https://[2607:f8b0:4004:800::200e]/path",
  ];
  expect(await codes(open, urls)).toEqual(all(urls, "allow"));
});

test("SEC-07: nothing is allowed unless it is listed; a wildcard takes every subdomain and not the name itself", async () => {
  expect(await codes(netFor([]), ["http://example.com", "http://8.8.8.8"])).toEqual(
    all(["http://example.com", "http://8.8.8.8"], "NET_BLOCKED"),
  );
  const net = netFor([
    "example.com",
    "*.Wild.example",
    "BÜCHER.example",
    "8.8.8.8",
    "[2606:4700:4700:0::1111]",
  ]);
  const yes = [
    "http://example.com",
    "http://EXAMPLE.COM.",
    "http://a.wild.example",
    "http://a.b.wild.example",
    "http://bücher.example",
    "http://xn--bcher-kva.example",
    "http://8.8.8.8",
    "http://[2606:4700:4700::1111]",
  ];
  const no = [
    "http://www.example.com",
    "http://wild.example",
    "http://notwild.example",
    "http://wild.example.evil.com",
    "http://example.com.evil.com",
    "http://evil.com/example.com",
    "http://8.8.4.4",
    "http://evilexample.com",
  ];
  expect(await codes(net, yes)).toEqual(all(yes, "allow"));
  expect(await codes(net, no)).toEqual(all(no, "NET_BLOCKED"));
});

test("SEC-07: blocked_ips adds to the special ranges, for addresses, answers and what is embedded", async () => {
  const net = netFor(["*"], ["8.8.8.0/24", "2606:4700::/32", "9.9.9.9"], async (host) =>
    host.startsWith("bad") ? ["1.0.0.1", "8.8.8.8"] : ["1.0.0.1"],
  );
  const no = [
    "http://8.8.8.8",
    "http://9.9.9.9",
    "http://[2606:4700::1]",
    "http://[64:ff9b::8.8.8.8]",
    "http://[::ffff:8.8.8.8]",
    "http://bad.example.com",
    "http://10.0.0.1",
  ];
  expect(await codes(net, no)).toEqual(all(no, "NET_BLOCKED"));
  expect(await codes(net, ["http://8.8.9.8", "http://good.example.com"])).toEqual(
    all(["http://8.8.9.8", "http://good.example.com"], "allow"),
  );
});

test("SEC-07: one bad answer of DNS refuses all, in any order, and so does none", async () => {
  const answers: Record<string, string[]> = {
    "rebind.example.com": ["1.1.1.1", "10.0.0.5"],
    "turned.example.com": ["10.0.0.5", "1.1.1.1"],
    "api.example.com": ["10.0.0.5"],
    "metadata.example.com": ["169.254.169.254"],
    "six.example.com": ["1.1.1.1", "fe80::1%eth0"],
    "nat.example.com": ["64:ff9b::a00:5"],
    "empty.example.com": [],
  };
  const net = netFor(["*"], [], async (host) => answers[host] ?? []);
  const urls = Object.keys(answers).map((host) => `https://${host}/`);
  expect(await codes(net, urls)).toEqual(all(urls, "NET_BLOCKED"));
  const failing = netFor(["*"], [], async () => {
    throw Object.assign(new Error("secret"), { code: "ENOTFOUND" });
  });
  expect(await failing.check("http://gone.example.com/?key=s3cret")).toMatchObject({
    code: "NET_REFUSED",
    reason: expect.stringMatching(/^(?!.*s3cret).*ENOTFOUND/),
  });
});

test("SEC-07: a private address stays refused in whatever form it is put", async () => {
  const octet = fc.integer({ min: 0, max: 255 });
  const hidden = fc.oneof(
    fc.tuple(fc.constantFrom(10, 127, 0), octet, octet, octet),
    fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
    fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
  );
  const form = fc.constantFrom<(bytes: number[]) => string>(
    (b) => b.join("."),
    (b) => `[::ffff:${b.join(".")}]`,
    (b) => `[64:ff9b::${b.join(".")}]`,
    (b) => `[::${b.join(".")}]`,
    (b) => String(b.reduce((sum, one) => sum * 256 + one, 0)),
    (b) => `0x${b.map((one) => one.toString(16).padStart(2, "0")).join("")}`,
    (b) => b.map((one) => `0${one.toString(8)}`).join("."),
    (b) => b.map((one) => `0x${one.toString(16)}`).join("."),
    (b) => `${b[0]}.${((b[1] ?? 0) * 256 + (b[2] ?? 0)) * 256 + (b[3] ?? 0)}`,
    (b) =>
      `[2002:${b
        .map((one) => one.toString(16).padStart(2, "0"))
        .join("")
        .replace(/^(....)/, "$1:")}::1]`,
    (b) => `${b.join(".")}.`,
  );
  const property = fc.asyncProperty(
    hidden,
    form,
    fc.constantFrom("", ":80", ":8443"),
    async (bytes, write, port) =>
      (await open.check(`http://${write(bytes)}${port}/`))?.code === "NET_BLOCKED",
  );
  expect(
    fc.defaultReportMessage(
      await fc.check(property, { numRuns: process.env["GANTRY_LONG"] ? 50_000 : 500 }),
    ) ?? "held",
  ).toBe("held");
});

test("SEC-07: no text makes the check throw, and what it lets pass is a listed http host", async () => {
  const net = netFor(["*.example.com"]);
  const property = fc.asyncProperty(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.webUrl(),
      fc.string().map((text) => `http://a.example.com${text}`),
      fc.string().map((text) => `http://${text}.example.com`),
    ),
    async (url) => {
      const answer = await net.check(url);
      return answer !== undefined || new URL(url).hostname.replace(/\.$/, "").endsWith(".example.com");
    },
  );
  expect(
    fc.defaultReportMessage(
      await fc.check(property, { numRuns: process.env["GANTRY_LONG"] ? 50_000 : 300 }),
    ) ?? "held",
  ).toBe("held");
});

test("CFG-07: a range or a domain that is none stops the start and says what to write", async () => {
  for (const entry of ["10.0.0.0/33", "10.0.0", "::/129", "x", "10.0.0.0/8/8", "10.0.0.0/", "fe80::1%1"]) {
    await expect(
      startTestHost({ plugins: [plugin], config: { security: { blocked_ips: [entry] } } }),
    ).rejects.toThrow(entry);
  }
  for (const entry of [
    "https://example.com",
    "example.com:443",
    "example.com/x",
    "a b",
    "",
    "*.",
    "x.*",
    "a..b",
    "user@example.com",
  ]) {
    await expect(
      startTestHost({ plugins: [plugin], config: { security: { allowed_domains: [entry] } } }),
    ).rejects.toThrow("security.allowed_domains");
  }
});

test("SEC-07: by default no tool reaches anything", async () => {
  await using host = await startTestHost({ plugins: [plugin] });
  const net = host.slot(Net);
  expect(await codes(net, ["http://example.com", "http://127.0.0.1", "http://8.8.8.8"])).toEqual(
    all(["http://example.com", "http://127.0.0.1", "http://8.8.8.8"], "NET_BLOCKED"),
  );
  const signal = AbortSignal.timeout(60_000);
  await expect(net.fetch({ url: "http://example.com", signal })).rejects.toMatchObject({
    code: "NET_BLOCKED",
  });
  await expect(net.connect("example.com", 80, signal)).rejects.toMatchObject({ code: "NET_BLOCKED" });
});
