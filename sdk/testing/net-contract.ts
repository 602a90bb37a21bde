import assert from "node:assert/strict";
import type { Net, Upstream } from "../tools/net.ts";
import { cases } from "./say.ts";
import type { ContractCase } from "./contract-case.ts";
import { codedAs, withServer, type ServerOf } from "./net-contract/server.ts";
import { fetchCases } from "./net-contract/fetch-cases.ts";

export interface NetSubject {
  /**
   * A network that reaches 127.0.0.1 by the name `allowed.example.com`, on any port, and lets no
   * other name and no other address through.
   */
  open(): Promise<{ readonly net: Net; close(): Promise<void> }>;
}

const special: readonly string[] = [
  "http://169.254.169.254/latest/",
  "http://10.0.0.1/",
  "http://[::1]/",
  "http://127.0.0.2/",
  "http://[::ffff:10.0.0.1]/",
];
const foreign: readonly string[] = ["http://other.example.com/", "http://allowed.example.com.other.example/"];
const wrong: readonly string[] = [
  "",
  "http://",
  "file:///etc/passwd",
  "ftp://allowed.example.com/",
  "javascript:1",
];
const { signal } = new AbortController();

/**
 * Returns the duties of every filler of the slot Net. Register each case with any test runner:
 * `test(name, run)`.
 */
export function netContract(subject: NetSubject): readonly ContractCase[] {
  const open = async (check: (net: Net, server: ServerOf) => Promise<void>): Promise<void> => {
    const { net, close } = await subject.open();
    try {
      await withServer("allowed.example.com", (server) => check(net, server));
    } finally {
      await close();
    }
  };
  return cases({
    "SDK-05: an address that is allowed is let through, and nothing is asked of it": () =>
      open(async (net, { url, asked }) => {
        assert.equal(await net.check(`${url}/hello`), undefined);
        assert.deepEqual(asked, []);
      }),
    "SDK-05: what is foreign, special or no address of the web is refused with a code and a sentence": () =>
      open(async (net) => {
        for (const url of [...foreign, ...special, ...wrong]) {
          const said = await net.check(url);
          assert.deepEqual([url, said?.verdict], [url, "refuse"]);
          assert.ok(said?.code.startsWith("NET_") && said.reason !== "", url);
          await codedAs("NET_", net.fetch({ url, signal }), url);
        }
      }),
    "SDK-05: a redirect is held to the same rules": () =>
      open(async (net, { url, asked }) => {
        for (const to of [...foreign, ...special, "file:///etc/passwd"])
          await codedAs("NET_", net.fetch({ url: `${url}/to?${encodeURIComponent(to)}`, signal }), to);
        const here = await net.fetch({ url: `${url}/to?${encodeURIComponent("/hello")}`, signal });
        assert.deepEqual([here.url, await here.text()], [`${url}/hello`, "hello"]);
        assert.ok(asked.at(-1)?.startsWith("GET /hello"));
      }),
    "SDK-05: a raw connection is held to the same rules, and to the domains that are handed in": () =>
      open(async (net, { port }) => {
        for (const host of ["other.example.com", "169.254.169.254", "10.0.0.1", "::1"])
          await codedAs("NET_", net.connect(host, port, signal), host);
        await codedAs(
          "NET_",
          net.connect("allowed.example.com", port, signal, ["elsewhere.example.com"]),
          "elsewhere",
        );
        (await net.connect("allowed.example.com", port, signal)).destroy();
      }),
    "SDK-20: a request of its own domains reaches those alone, over redirects too": () =>
      open(async (net, { url, asked }) => {
        const own = (...domains: string[]) => net.fetch({ url: `${url}/hello`, signal, domains });
        assert.equal(await (await own("allowed.example.com")).text(), "hello");
        const count = asked.length;
        for (const domains of [[], ["other.example.com"], ["*.allowed.example.com"]])
          await codedAs("NET_BLOCKED", own(...domains), `with ${domains.join()}`);
        assert.equal(asked.length, count);
        const wider = { url: "http://other.example.com/", signal, domains: ["*"] };
        await codedAs("NET_BLOCKED", net.fetch(wider), "wider than the configuration");
      }),
    ...fetchCases((check) => open((net, server) => check((request) => net.fetch(request), server))),
  });
}

export interface UpstreamSubject {
  /** Reaches what it is told to, by no proxy. */
  open(): Promise<{ readonly upstream: Upstream; close(): Promise<void> }>;
}

/**
 * Returns the duties of every filler of the slot Upstream. Register each case with any test runner:
 * `test(name, run)`.
 */
export function upstreamContract(subject: UpstreamSubject): readonly ContractCase[] {
  const open = async (check: (upstream: Upstream, server: ServerOf) => Promise<void>): Promise<void> => {
    const { upstream, close } = await subject.open();
    try {
      await withServer("127.0.0.1", (server) => check(upstream, server));
    } finally {
      await close();
    }
  };
  return cases({
    "SDK-05: a redirect is not followed": () =>
      open(async (upstream, { url, asked }) => {
        const moved = await upstream.fetch({ url: `${url}/to?${encodeURIComponent("/hello")}`, signal });
        assert.deepEqual([moved.status, asked.length], [302, 1]);
      }),
    "SDK-20: a request of its own domains reaches those alone": () =>
      open(async (upstream, { url, asked }) => {
        const own = (domain: string) => upstream.fetch({ url: `${url}/hello`, signal, domains: [domain] });
        assert.equal(await (await own("127.0.0.1")).text(), "hello");
        await codedAs("NET_BLOCKED", own("other.example.com"), "foreign");
        assert.equal(asked.length, 1);
      }),
    "SDK-05: what is no address of the web is an error with a code": () =>
      open(async (upstream) => {
        for (const url of wrong) await codedAs("NET_", upstream.fetch({ url, signal }), url);
      }),
    "SDK-05: a WebSocket where none is spoken, nobody listens or nobody waits is an error with a code": () =>
      open(async (upstream, { url }) => {
        for (const to of [`${url}/hello?key=s3cret`, "ws://127.0.0.1:1/?key=s3cret", "ftp://127.0.0.1/"])
          await codedAs("NET_", upstream.webSocket(to, {}, signal), to);
        await codedAs("NET_", upstream.webSocket(`${url}/never`, {}, AbortSignal.abort()), "aborted");
      }),
    "SDK-05: a raw connection carries bytes both ways, and fails with a code": () =>
      open(async (upstream, { port }) => {
        const connection = await upstream.connect("127.0.0.1", port, signal);
        connection.end("GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        let text = "";
        for await (const piece of connection) text += String(piece);
        assert.match(text, /^HTTP\/1\.1 200 [^]*hello$/);
        await codedAs("NET_", upstream.connect("127.0.0.1", 1, signal), "nobody listens");
      }),
    ...fetchCases((check) => open((upstream, server) => check((request) => upstream.fetch(request), server))),
  });
}
