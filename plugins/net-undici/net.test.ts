import { once } from "node:events";
import { array, assert, asyncProperty, constantFrom } from "fast-check";
import { expect, test } from "vitest";
import type { NetRequest } from "@gantry/sdk";
import { addressCheck } from "./addresses.ts";
import { domainCheck } from "./domains.ts";
import { bodyOf, serve } from "./loopback.test-kit.ts";
import { createNet } from "./net.ts";

const { signal } = new AbortController();
const strict = addressCheck([]);

/**
 * Returns a net that does not count loopback's first address as special, so that real servers can
 * be reached.
 */
function netOn(lookup: (host: string) => readonly string[] = () => ["127.0.0.1"], allowed = ["*"]) {
  return createNet({
    domains: domainCheck(allowed),
    addresses: (address) => (address === "127.0.0.1" ? undefined : strict(address)),
    lookup: async (host) => lookup(host),
  });
}
const ask = (url: string, more: Partial<NetRequest> = {}): NetRequest => ({ url, signal, ...more });

test("SEC-07: a request goes to the checked address, whatever the name says at the time of connecting", async () => {
  await using server = await serve((request, response) => response.end(`host ${request.headers.host}`));
  let asked = 0;
  const net = netOn(() => (asked++ === 0 ? ["127.0.0.1"] : ["10.0.0.1"]));
  const answer = await net.fetch(ask(`http://rebind.example.com:${server.port}/`));
  expect(await answer.text()).toBe(`host rebind.example.com:${server.port}`);
  expect(asked).toBe(1);
  await expect(net.fetch(ask(`http://rebind.example.com:${server.port}/`))).rejects.toMatchObject({
    code: "NET_BLOCKED",
  });
});

test("SDK-20: a redirect out of a request's own domains is blocked, though the configuration allows it", async () => {
  await using server = await serve((request, response) => {
    if (request.url === "/go")
      response.writeHead(302, { location: `http://b.example.com:${server.port}/` }).end();
    else response.end("arrived");
  });
  const net = netOn(undefined, ["a.example.com", "b.example.com"]);
  const go = `http://a.example.com:${server.port}/go`;
  expect(await (await net.fetch(ask(go))).text()).toBe("arrived");
  const one = net.fetch(ask(go, { domains: ["a.example.com"] }));
  await expect(one).rejects.toMatchObject({
    code: "NET_BLOCKED",
    message: expect.stringContaining("none of the domains of this request"),
  });
  const both = net.fetch(ask(go, { domains: ["*.example.com"] }));
  expect(await (await both).text()).toBe("arrived");
});

test("SDK-20: a request never reaches more than both its own domains and the configured ones", async () => {
  const names = ["a.example.com", "b.example.com", "c.example.org", "example.com"];
  const entries = constantFrom(...names, "*.example.com", "*.example.org", "*");
  await using server = await serve((_, response) => response.end("arrived"));
  await assert(
    asyncProperty(array(entries), array(entries), constantFrom(...names), async (allowed, own, name) => {
      const net = netOn(undefined, allowed);
      const asked = net.fetch(ask(`http://${name}:${server.port}/`, { domains: own }));
      const reached = await asked.then(
        () => true,
        () => false,
      );
      expect(reached).toBe(domainCheck(allowed)(name) && domainCheck(own)(name));
    }),
    { numRuns: 60 },
  );
});

test("SEC-07: each redirect is checked again: to a private address, a foreign domain, another scheme", async () => {
  let target = "";
  await using server = await serve((request, response) => {
    if (request.url === "/go") response.writeHead(302, { location: target }).end("moved");
    else response.end("arrived");
  });
  const net = netOn(undefined, ["a.example.com", "b.example.com"]);
  const go = `http://a.example.com:${server.port}/go`;
  for (target of [
    "http://10.0.0.1/",
    "http://169.254.169.254/latest/",
    "http://[::1]/",
    "http://localhost/",
    "http://evil.com/",
    "http://x@b.example.com/",
  ]) {
    await expect(net.fetch(ask(go))).rejects.toMatchObject({ code: "NET_BLOCKED" });
  }
  for (target of ["file:///etc/passwd", "ftp://b.example.com/", "javascript:1", "http://"]) {
    await expect(net.fetch(ask(go))).rejects.toMatchObject({ code: "NET_BAD_URL" });
  }
  target = `http://b.example.com:${server.port}/x`;
  const answer = await net.fetch(ask(go));
  expect([answer.url, await answer.text()]).toEqual([target, "arrived"]);
  target = "/x";
  expect((await net.fetch(ask(go))).url).toBe(`http://a.example.com:${server.port}/x`);
  target = "/go";
  await expect(net.fetch(ask(go))).rejects.toMatchObject({
    code: "NET_REFUSED",
    message: expect.stringContaining("redirected more than 10 times"),
  });
});

test("MCP-02: an answer that redirects is given as it is to a caller who asks for that", async () => {
  let visits = 0;
  await using server = await serve((_, response) => {
    visits += 1;
    response.writeHead(307, { location: "http://b.example.com/" }).end();
  });
  const net = netOn(undefined, ["a.example.com", "b.example.com"]);
  const asked = { ...ask(`http://a.example.com:${server.port}/`), redirect: "manual" } as const;
  const { status, headers } = await net.fetch(asked);
  expect([status, headers.get("location"), visits]).toEqual([307, "http://b.example.com/", 1]);
});

test("SEC-07: credentials stay with the origin they were meant for, and a POST becomes a GET where browsers do so", async () => {
  const seen: string[] = [];
  await using server = await serve((request, response) => {
    void bodyOf(request).then((body) => {
      const {
        authorization = "-",
        cookie = "-",
        "content-type": type = "-",
        "x-other": other = "-",
      } = request.headers;
      seen.push(
        [
          request.method,
          request.headers.host?.split(":")[0],
          authorization,
          cookie,
          type,
          other,
          body || "-",
        ].join(" "),
      );
      const [, status, to] = /^\/(\d+)\/(.*)$/.exec(request.url ?? "") ?? [];
      if (status)
        response.writeHead(Number(status), {
          location: to === "" ? "/end" : `http://${to}:${server.port}/end`,
        });
      response.end();
    });
  });
  const net = netOn();
  const headers = {
    Authorization: "Bearer s3cret",
    Cookie: "c=1",
    "Content-Type": "text/plain",
    "X-Other": "o",
  };
  const post = async (path: string) => {
    seen.length = 0;
    await (
      await net.fetch(
        ask(`http://a.example.com:${server.port}${path}`, { method: "POST", headers, body: "text" }),
      )
    ).text();
    return seen[1];
  };
  expect(await post("/302/")).toBe("GET a.example.com Bearer s3cret c=1 - o -");
  expect(await post("/303/b.example.com")).toBe("GET b.example.com - - - o -");
  expect(await post("/307/")).toBe("POST a.example.com Bearer s3cret c=1 text/plain o text");
  expect(await post("/308/b.example.com")).toBe("POST b.example.com - - text/plain o text");
});

test("SEC-07: limits of time and size hold, a name that nobody answers for included", async () => {
  await using server = await serve((_, response) => response.end("x".repeat(1_000)));
  const url = `http://a.example.com:${server.port}/`;
  await expect(
    netOn()
      .fetch(ask(url, { maxBytes: 999 }))
      .then((answer) => answer.text()),
  ).rejects.toMatchObject({ code: "NET_TOO_LARGE" });
  const silent = createNet({
    domains: domainCheck(["*"]),
    addresses: strict,
    lookup: () => new Promise(() => {}),
  });
  await expect(silent.fetch(ask(url, { connectTimeoutMs: 30 }))).rejects.toMatchObject({
    code: "NET_TIMEOUT",
  });
  await expect(silent.fetch(ask(url, { signal: AbortSignal.timeout(20) }))).rejects.toMatchObject({
    code: "NET_CANCELLED",
  });
  await expect(silent.fetch(ask(url, { signal: AbortSignal.abort() }))).rejects.toMatchObject({
    code: "NET_CANCELLED",
  });
});

test("SBX-02: a raw connection follows the same rules and is pinned too", async () => {
  await using server = await serve((_, response) => response.end("hello"));
  const socket = await netOn().connect("a.example.com", server.port, signal);
  socket.write("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
  let text = "";
  socket.on("data", (piece: Buffer) => (text += piece.toString()));
  await once(socket, "end");
  expect(text).toContain("hello");
  for (const host of ["localhost", "10.0.0.1", "::1", "[::1]", "127.1", "evil.com", "", "a b", "a/b"]) {
    await expect(
      netOn(() => ["10.0.0.1"], ["a.example.com"]).connect(host, 80, signal),
    ).rejects.toMatchObject({ code: "NET_BLOCKED" });
  }
  await expect(netOn().connect("a.example.com", 1, signal)).rejects.toMatchObject({ code: "NET_REFUSED" });
  await expect(netOn().connect("a.example.com", server.port, AbortSignal.abort())).rejects.toMatchObject({
    code: "NET_CANCELLED",
  });
});
