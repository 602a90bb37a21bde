import { expect, test } from "vitest";
import { rawBytes, startGateway } from "./gateway.test-kit.ts";

test("GW-05: a foreign Origin, and null, is refused on every route and method, on this machine too", async () => {
  await using gateway = await startGateway({ gateway: { allowed_hosts: ["gantry.example"] } });
  const { token } = await gateway.pair();
  const { port } = gateway;
  const foreign = [
    "null",
    "https://evil.example",
    "http://127.0.0.1",
    `http://127.0.0.1:${port + 1}`,
    `http://127.0.0.1:${port}.evil.example`,
  ];
  const odd = [
    "",
    "x",
    "file://",
    `http://127.0.0.1:${port}@evil.example`,
    "https://gantry.example.evil.example",
    `ftp://127.0.0.1:${port}`,
    "chrome-extension://abc",
  ];
  for (const origin of [...foreign, ...odd]) {
    for (const path of ["/health", "/api/approvals", "/pair", "/nothing"]) {
      const { status, json } = await gateway.ask(path, { headers: { origin }, token });
      expect([origin, path, status, json.error.code]).toEqual([origin, path, 403, "GATEWAY_FOREIGN_ORIGIN"]);
    }
    const { status, headers } = await gateway.ask("/api/chat", {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST" },
    });
    expect([status, headers["access-control-allow-origin"]]).toEqual([403, undefined]);
  }
  const ours = [`http://127.0.0.1:${port}`, "https://gantry.example", "http://gantry.example"];
  for (const origin of ours) expect((await gateway.ask("/health", { headers: { origin } })).status).toBe(200);
});

test("GW-05: a Host that is not ours is refused, so no name can be rebound to us", async () => {
  await using gateway = await startGateway({
    gateway: { allowed_hosts: ["gantry.example", "other.example:8443"] },
  });
  const { port } = gateway;
  const ours = [
    `127.0.0.1:${port}`,
    `localhost:${port}`,
    `LOCALHOST:${port}`,
    `localhost.:${port}`,
    "localhost.",
    `[::1]:${port}`,
    "127.0.0.1",
    "gantry.example",
    "gantry.example:99",
    "other.example:8443",
  ];
  for (const host of ours)
    expect([host, (await gateway.ask("/health", { headers: { host } })).status]).toEqual([host, 200]);
  const foreign = [
    "evil.example",
    `evil.example:${port}`,
    `localhost:${port + 1}`,
    `localhost.evil.example:${port}`,
    `127.0.0.1.evil.example`,
  ];
  const odd = [
    "other.example",
    "other.example:80",
    "0.0.0.0",
    "127.0.0.2",
    `localhost:${port}:1`,
    `a@localhost:${port}`,
    "localhost:x",
    `localhost..:${port}`,
  ];
  for (const host of [...foreign, ...odd]) {
    const { status, json } = await gateway.ask("/health", { headers: { host } });
    expect([host, status, json.error.code]).toEqual([host, 403, "GATEWAY_FOREIGN_HOST"]);
  }
  const two = await rawBytes(
    port,
    `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
  );
  expect(two).toMatch(/^HTTP\/1\.1 40[03] /);
  const none = await rawBytes(port, "GET /health HTTP/1.0\r\n\r\n");
  expect(none).toMatch(/^HTTP\/1\.1 403 /);
});

test.each(["https://gantry.example", "gantry.example/", "::1", "me@gantry.example", "gantry.example:x", ""])(
  "GW-05: an entry of allowed_hosts that no Host header could match stops the start (%j)",
  async (entry) => {
    await expect(startGateway({ gateway: { allowed_hosts: [entry] } })).rejects.toMatchObject({
      code: "CONFIG_WRONG_TYPE",
    });
  },
);

const forwarding = [
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
  "forwarded",
  "cf-connecting-ip",
  "true-client-ip",
  "via",
];

test("GW-05: what a proxy forwarded that nobody named is refused: from there all peers would look like this machine", async () => {
  await using gateway = await startGateway();
  const { token } = await gateway.pair();
  for (const name of forwarding) {
    const headers = { [name]: "1.2.3.4" };
    const { status, json } = await gateway.ask("/api/approvals", { headers, token });
    expect([name, status, json.error.code]).toEqual([name, 403, "GATEWAY_UNTRUSTED_PROXY"]);
    // A probe through a mesh learns what everybody may know.
    expect([name, (await gateway.ask("/health", { headers })).status]).toEqual([name, 200]);
  }
});

test("GW-05: from trusted_proxies the forwarded address is the peer, for limits and audit, and a client cannot make one up", async () => {
  await using gateway = await startGateway({ gateway: { trusted_proxies: ["127.0.0.8/29"] } });
  const { token } = await gateway.pair();
  const from = "127.0.0.9";
  const asClient = (address: string) =>
    gateway.ask("/api/approvals", { from, headers: { "x-forwarded-for": address } });
  await gateway.ask("/api/approvals", {
    from,
    headers: { "x-forwarded-for": "9.9.9.9, 2.2.2.2, 127.0.0.10" },
  });
  expect(gateway.host.audit.at(-1)?.args).toMatchObject({ peer: "2.2.2.2" });
  for (let i = 0; i < 60; i += 1) expect((await asClient(`6.6.6.${i}, 1.2.3.4`)).status).toBe(401);
  expect((await asClient("7.7.7.7, 1.2.3.4")).status).toBe(429);
  expect((await asClient("1.2.3.5")).status).toBe(401);
  expect(
    (await gateway.ask("/api/approvals", { token, headers: { "x-forwarded-for": "1.2.3.4" } })).status,
  ).toBe(403);
});

test("GW-05: peers with the same IPv6 /64 share a limit", async () => {
  await using gateway = await startGateway({ gateway: { trusted_proxies: ["127.0.0.1"] } });
  const asClient = (address: string) =>
    gateway.ask("/api/approvals", { headers: { "x-forwarded-for": address } });
  for (let i = 0; i < 60; i += 1)
    expect((await asClient(`2001:db8:1:2::${i.toString(16)}`)).status).toBe(401);
  expect((await asClient("2001:db8:1:2:ffff::1")).status).toBe(429);
  expect((await asClient("2001:db8:1:3::1")).status).toBe(401);
});

test.each([
  ["1.2.3.4:%", "1.2.3.4"],
  ["[2001:db8::1]:%", "2001:db8::2"],
  ["%nonsense", "unknown"],
])("GW-05: the port or nonsense that a proxy forwards makes no new peer (%s)", async (form, same) => {
  await using gateway = await startGateway({ gateway: { trusted_proxies: ["127.0.0.1"] } });
  const asClient = (address: string) =>
    gateway.ask("/api/approvals", { headers: { "x-forwarded-for": address } });
  const all = await Promise.all(
    Array.from({ length: 60 }, (_, i) => asClient(form.replace("%", String(i + 1)))),
  );
  expect(all.every(({ status }) => status === 401)).toBe(true);
  expect((await asClient(same)).status).toBe(429);
  expect((await asClient("5.6.7.8")).status).toBe(401);
});

test("GW-05: with pairing off a client behind a trusted proxy is still not this machine", async () => {
  await using gateway = await startGateway({
    gateway: { require_pairing: false, trusted_proxies: ["127.0.0.1"] },
  });
  expect((await gateway.ask("/api/approvals")).status).toBe(200);
  for (const client of ["1.2.3.4", "127.0.0.1", "::1"]) {
    const { status, json } = await gateway.ask("/api/approvals", { headers: { "x-forwarded-for": client } });
    expect([client, status, json.error.code]).toEqual([client, 403, "GATEWAY_REMOTE"]);
  }
});

test.each(["nonsense", "10.0.0.0/33", "1.2.3", "::/129", "10.0.0.0/8/8", "localhost", ""])(
  "GW-05: a wrong entry of trusted_proxies stops the start (%s)",
  async (entry) => {
    const started = startGateway({ gateway: { trusted_proxies: [entry] } });
    await expect(started).rejects.toMatchObject({
      code: /^[\d.:]+\/?\d*$/.test(entry) && entry !== "1.2.3" ? "GATEWAY_BAD_PROXY" : "CONFIG_WRONG_TYPE",
      message: expect.stringContaining("gateway.trusted_proxies"),
    });
  },
);
