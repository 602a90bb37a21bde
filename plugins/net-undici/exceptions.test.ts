import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Net } from "@gantry/sdk";
import { startTestHost } from "@gantry/sdk/testing";
import { addressCheck } from "./addresses.ts";
import plugin from "./index.ts";
import { serve } from "./loopback.test-kit.ts";

const startWith = (security: object) => startTestHost({ plugins: [plugin], config: { security } });
const codeOf = async (security: object, url: string) => {
  await using t = await startWith(security);
  return (await t.slot(Net).check(url))?.code ?? "allow";
};

test("SEC-07: allowed_private_addresses lets a tool reach one address and port, and no other", async () => {
  await using site = await serve((_, response) => void response.end("my own server"));
  await using other = await serve((_, response) => void response.end("not this one"));
  await using t = await startWith({
    allowed_domains: ["127.0.0.1"],
    allowed_private_addresses: [`127.0.0.1:${site.port}`],
  });
  const net = t.slot(Net);
  const signal = AbortSignal.timeout(45_000);
  const answer = await net.fetch({ url: `${site.url}/`, signal });
  expect(await answer.text()).toBe("my own server");
  await expect(net.fetch({ url: other.url, signal })).rejects.toMatchObject({ code: "NET_BLOCKED" });
  (await net.connect("127.0.0.1", site.port, signal)).destroy();
  await expect(net.connect("127.0.0.1", other.port, signal)).rejects.toMatchObject({ code: "NET_BLOCKED" });
});

test("SEC-07: an excepted address stands in allowed_domains too, and goes behind blocked_ips", async () => {
  const allowed_private_addresses = ["192.168.1.20", "[fd12::1]:8080"];
  const allowed_domains = ["192.168.1.20", "fd12::1"];
  const both = { allowed_private_addresses, allowed_domains };
  expect(await codeOf(both, "http://192.168.1.20:8123/")).toBe("allow");
  expect(await codeOf(both, "http://[fd12::1]:8080/")).toBe("allow");
  expect(await codeOf(both, "http://[fd12::1]/")).toBe("NET_BLOCKED");
  expect(await codeOf({ ...both, allowed_domains: ["example.com"] }, "http://192.168.1.20/")).toBe(
    "NET_BLOCKED",
  );
  expect(await codeOf({ ...both, blocked_ips: ["192.168.0.0/16"] }, "http://192.168.1.20/")).toBe(
    "NET_BLOCKED",
  );
  expect(await codeOf(both, "http://[::ffff:192.168.1.20]/")).toBe("NET_BLOCKED");
});

test("SEC-07: what a name leads to is never excepted", () => {
  expect(addressCheck([], ["192.168.1.20"])("192.168.1.20")).toContain("special address");
});

test("CFG-07: what serves a cloud's credentials, and what is no address, cannot be excepted", async () => {
  const wrong = [
    "169.254.169.254",
    "169.254.169.254:80",
    "168.63.129.16",
    "100.100.100.200",
    "192.0.0.192:80",
    "fd00:ec2::254",
    "[fd00:ec2:0::254]:80",
    "fe80::1",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "localhost:5173",
    "127.0.0.1:0",
    "127.0.0.1:65536",
    "127.0.0.1:",
    "[127.0.0.1]:80",
    "10.0.0.0/8",
    "http://127.0.0.1/",
    "",
  ];
  for (const entry of wrong) {
    const start = startWith({ allowed_private_addresses: [entry] });
    await expect(start).rejects.toMatchObject({
      code: "NET_BAD_EXCEPTION",
      message: expect.stringContaining(`\`${entry}\``),
    });
  }
});

test("SEC-07: an exception changes nothing for any other address or port", () => {
  const plain = addressCheck([]);
  const check = addressCheck([], ["127.0.0.1:5173"]);
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), fc.integer({ min: 1, max: 65_535 }), (address, port) => {
      fc.pre(address !== "127.0.0.1" || port !== 5173);
      expect(check(address, port)).toBe(plain(address));
    }),
  );
});
