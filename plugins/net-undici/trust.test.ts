import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createPlainServer } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { getCACertificates } from "node:tls";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { trustCheck } from "./trust.ts";

const home = mkdtempSync(path.join(tmpdir(), "gantry-trust-"));
const file = (name: string): string => path.join(home, name);
const servers = new Map<string, ReturnType<typeof createServer>>();
const plain = createPlainServer((_, response) => response.end("plain"));
let http = "";

/** An authority, and a server on loopback whose certificate it signed. */
async function authority(name: string, subject: string): Promise<void> {
  const make = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2".split(" ");
  const [ca, caKey] = [file(`${name}.pem`), file(`${name}.key`)];
  const [cert, key] = [file(`${name}-server.pem`), file(`${name}-server.key`)];
  const quiet = { stdio: "ignore" } as const;
  execFileSync("openssl", [...make, "-subj", `/CN=${subject}`, "-keyout", caKey, "-out", ca], quiet);
  const own = ["-CA", ca, "-CAkey", caKey, "-addext", "subjectAltName=IP:127.0.0.1"];
  const leaf = [...own, "-addext", "basicConstraints=critical,CA:FALSE"];
  execFileSync("openssl", [...make, "-subj", "/CN=server", ...leaf, "-keyout", key, "-out", cert], quiet);
  const sealed = { key: readFileSync(key), cert: readFileSync(cert) };
  const server = createServer(sealed, (_, response) => response.end("sealed"));
  servers.set(name, server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
}

beforeAll(async () => {
  await authority("ours", "Test Authority");
  await authority("theirs", "Another Authority");
  writeFileSync(file("none.pem"), "");
  mkdirSync(file("empty"));
  plain.listen(0, "127.0.0.1");
  await once(plain, "listening");
  http = `http://127.0.0.1:${(plain.address() as AddressInfo).port}/`;
}, 60_000);

afterAll(() => {
  for (const server of [...servers.values(), plain]) server.close();
  rmSync(home, { recursive: true });
});

const script = `
import { readFileSync } from "node:fs";
import tls from "node:tls";
import { addressCheck } from "./plugins/net-undici/addresses.ts";
import { domainCheck } from "./plugins/net-undici/domains.ts";
import { createNet } from "./plugins/net-undici/net.ts";
import { createTrust } from "./plugins/net-undici/trust.ts";
import { createUpstream } from "./plugins/net-undici/upstream.ts";
const { node, way, url, ca } = JSON.parse(process.argv[1]);
const trust = createTrust(node);
const { signal } = new AbortController();
const { hostname, port } = new URL(url);
const rules = {
  domains: domainCheck([hostname]),
  addresses: addressCheck([], [hostname + ":" + port]),
  lookup: async () => [hostname],
};
const own = ca ? { ca: readFileSync(ca, "utf8") } : {};
const ways = {
  tools: async () => (await createNet(rules, trust).fetch({ url, signal })).text(),
  upstream: async () => (await createUpstream({}, trust).fetch({ url, signal })).text(),
  // The server speaks no WebSocket, and says so only once its certificate was taken.
  socket: async () => createUpstream({}, trust).webSocket(url, {}, signal),
  mail: async () => {
    (await createUpstream({}, trust).connect(hostname, Number(port), signal, { tls: own })).destroy();
    return "sealed";
  },
};
const said = await ways[way]().catch((error) => error.message);
// Node writes a certificate that was set in other lines than its own.
const listed = (kind) => tls.getCACertificates(kind).map((pem) => pem.replace(/\\s/g, ""));
const bundled = new Set(listed("bundled"));
const count = listed("default").filter((one) => bundled.has(one)).length;
console.log(JSON.stringify({ said, bundled: count, all: bundled.size }));
process.exit();
`;

interface Outcome {
  readonly said: string;
  /**
   * The number of authorities in Node's own list that are trusted in the end, and the length of
   * that list.
   */
  readonly bundled: number;
  readonly all: number;
}

/**
 * One connection in a process of its own, whose operating system has the authorities of `store`.
 */
async function outcome(
  how: { readonly node?: string; readonly way?: string; readonly url?: string; readonly ca?: string },
  { store = "ours", server = "ours", extra = "" } = {},
): Promise<Outcome> {
  const { port } = servers.get(server)!.address() as AddressInfo;
  const facts = { node: "24.21.0", way: "upstream", url: `https://127.0.0.1:${port}/`, ...how };
  const args = ["--conditions=gantry-source", "--input-type=module", "-e", script, JSON.stringify(facts)];
  const env = {
    SSL_CERT_FILE: file(`${store}.pem`),
    SSL_CERT_DIR: file("empty"),
    ...(extra !== "" && { NODE_EXTRA_CA_CERTS: file(`${extra}.pem`) }),
  };
  const cwd = path.join(import.meta.dirname, "../..");
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env });
  return JSON.parse(stdout) as Outcome;
}

const unverified = expect.stringContaining("certificate") as string;

test.each(["upstream", "tools", "mail"])(
  "FLR-01: an older Node trusts the operating system's authorities in place of its own (%s)",
  async (way) => {
    expect(await outcome({ way })).toMatchObject({ said: "sealed", bundled: 0 });
    expect((await outcome({ way }, { store: "theirs" })).said).toEqual(unverified);
  },
);

test("FLR-01: a WebSocket of an older Node trusts the operating system's authorities", async () => {
  const ours = await outcome({ way: "socket" });
  expect(ours).toMatchObject({ said: expect.stringContaining("instead of a WebSocket"), bundled: 0 });
});

test("FLR-01: a Node at its floor trusts its own authorities", async () => {
  const { said, bundled, all } = await outcome({ node: "24.22.1" });
  expect(said).toEqual(unverified);
  expect(bundled).toBe(all);
});

test("FLR-01: NODE_EXTRA_CA_CERTS goes on being trusted", async () => {
  expect((await outcome({}, { store: "theirs", extra: "ours" })).said).toBe("sealed");
});

test("FLR-01: authorities named for one connection win", async () => {
  const ca = file("ours.pem");
  expect((await outcome({ way: "mail", ca }, { store: "theirs" })).said).toBe("sealed");
});

test("FLR-01: if the operating system has no authority, Node's own stay", async () => {
  const { said, bundled, all } = await outcome({}, { store: "none" });
  expect(said).toEqual(unverified);
  expect(bundled).toBe(all);
});

test("FLR-01: a request over plain HTTP leaves the authorities as they were", async () => {
  const { said, bundled, all } = await outcome({ url: http });
  expect([said, bundled]).toEqual(["plain", all]);
});

test("FLR-01: status tells whom an older Node trusts, and nothing of a Node at its floor", async () => {
  const { signal } = new AbortController();
  expect(await trustCheck("24.22.1").run(signal)).toEqual([]);
  const [row] = await trustCheck("24.21.0").run(signal);
  const system = new Set(getCACertificates("system")).size;
  const [state, detail] =
    system > 0
      ? ["ok", `${system} of the operating system, in place of Node's own`]
      : ["warn", "the system has none: Node's own list, which is out of date"];
  expect(row).toMatchObject({ what: "certificates", state, detail });
});
