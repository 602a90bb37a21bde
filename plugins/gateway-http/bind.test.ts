import { createServer, type AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { Commands, Services } from "@gantry/sdk";
import { memoryStore, startTestHost } from "@gantry/sdk/testing";
import { expect, test, vi } from "vitest";
import { openBind } from "./bind.ts";
import type { GatewayConfig } from "./config.ts";
import { startGateway } from "./gateway.test-kit.ts";
import gateway from "./index.ts";

async function takenPort(): Promise<{ port: number } & AsyncDisposable> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

test("GW-06: ERR-01: a port in use says `Address already in use (port N)` with the real port", async () => {
  await using taken = await takenPort();
  await expect(startGateway({ gateway: { port: taken.port } })).rejects.toMatchObject({
    code: "GATEWAY_PORT_IN_USE",
    message: expect.stringMatching(new RegExp(`^Address already in use \\(port ${taken.port}\\): .*--port`)),
  });
});

test("GW-06: a host that is not this machine's says so", async () => {
  await expect(
    startGateway({ gateway: { host: "203.0.113.1", trusted_proxies: ["203.0.113.2"] } }),
  ).rejects.toMatchObject({
    code: "GATEWAY_LISTEN_FAILED",
    message: expect.stringContaining("203.0.113.1"),
  });
});

const closed: GatewayConfig = {
  require_pairing: true,
  pairing_code_length: 6,
  pairing_timeout_minutes: 10,
  requests_per_minute: 60,
  host: "127.0.0.1",
  port: 3000,
  tls_enabled: false,
  trusted_proxies: [],
  allowed_hosts: [],
};

test.each([
  ["127.0.0.1", {}, undefined],
  ["127.1.2.3", {}, undefined],
  ["localhost", {}, undefined],
  ["::1", {}, undefined],
  ["[::1]", {}, undefined],
  ["127.0.0.1", { require_pairing: false }, undefined],
  ["0.0.0.0", {}, "without TLS"],
  ["::", {}, "without TLS"],
  ["192.168.1.2", {}, "without TLS"],
  ["example.org", {}, "without TLS"],
  ["localhost.example.org", {}, "without TLS"],
  ["::ffff:10.0.0.1", {}, "without TLS"],
  ["0.0.0.0", { require_pairing: false }, "without pairing"],
  ["0.0.0.0", { require_pairing: false, tls_enabled: true }, "without pairing"],
  ["0.0.0.0", { require_pairing: false, trusted_proxies: ["10.0.0.1"] }, "without pairing"],
  ["0.0.0.0", { tls_enabled: true }, undefined],
  ["0.0.0.0", { trusted_proxies: ["10.0.0.1"] }, undefined],
])("GW-06: binding %s with %o", (host, given, words) => {
  const refusal = openBind(host, { ...closed, ...given });
  expect(refusal?.code).toBe(words && "GATEWAY_OPEN_BIND");
  expect(refusal?.message ?? "").toContain(words ?? "");
});

test("GW-06: an open bind stops the start and says what to set", async () => {
  await expect(startGateway({ gateway: { host: "0.0.0.0" } })).rejects.toMatchObject({
    code: "GATEWAY_OPEN_BIND",
    exit: 2,
    message: expect.stringContaining("gateway.tls_enabled"),
  });
});

const ipv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === "::1"),
);

const hosts: readonly (readonly [string, RegExp])[] = [
  ["localhost", /^http:\/\/127\.0\.0\.1:\d+$/],
  ["::1", /^http:\/\/\[::1\]:\d+$/],
  ["[::1]", /^http:\/\/\[::1\]:\d+$/],
];

test.each(hosts.filter(([host]) => ipv6 || host === "localhost"))(
  "GW-06: gateway.host may be %s",
  async (host, url) => {
    await using started = await startGateway({ gateway: { host } });
    expect(started.url).toMatch(url);
    expect((await fetch(`${started.url}/health`)).status).toBe(200);
  },
);

test("GW-06: behind a trusted proxy the gateway may listen on all addresses and answers by the address that was called", async () => {
  await using started = await startGateway({ gateway: { host: "0.0.0.0", trusted_proxies: ["127.0.0.1"] } });
  expect((await started.ask("/health", { headers: { "x-forwarded-for": "1.2.3.4" } })).status).toBe(200);
  expect((await started.ask("/health", { headers: { host: `0.0.0.0:${started.port}` } })).status).toBe(403);
});

async function gatewayWord(options: Readonly<Record<string, string>>) {
  const host = await startTestHost({ plugins: [memoryStore(), gateway], config: { gateway: { port: 1 } } });
  const word = host.slot(Commands).get("gateway")!;
  const asked: (readonly string[] | undefined)[] = [];
  const serve = async (services?: readonly string[]): Promise<number> => {
    asked.push(services);
    const quiet = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    await host.serve(services).finally(() => quiet.mockRestore());
    await host.slot(Services).get("gateway")!.stop(AbortSignal.timeout(1_000));
    return 0;
  };
  try {
    const code = await word.run({
      args: [],
      options,
      out: String,
      err: String,
      interactive: false,
      signal: new AbortController().signal,
      serve,
    });
    return { code, asked, url: String(host.logs.find(({ detail }) => "url" in detail)?.detail["url"]) };
  } finally {
    await host.stop();
  }
}

test("GW-06: --port and --host win over the configuration, and the command serves the gateway alone", async () => {
  const { code, asked, url } = await gatewayWord({ port: "0", host: "127.0.0.3" });
  expect([code, asked]).toEqual([0, [["gateway"]]]);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.3:\d+$/);
});

test.each(["", "x", "-1", "65536", "3000.5", "1e3", " 80", "99999999"])(
  "GW-06: --port %j is wrong usage",
  async (port) => {
    await expect(gatewayWord({ port })).rejects.toMatchObject({ code: "GATEWAY_BAD_PORT", exit: 2 });
  },
);

test("GW-06: --host cannot open what the configuration keeps shut", async () => {
  await expect(gatewayWord({ port: "0", host: "0.0.0.0" })).rejects.toMatchObject({
    code: "GATEWAY_OPEN_BIND",
  });
});
