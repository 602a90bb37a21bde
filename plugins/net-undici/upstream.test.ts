import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { isWithoutAnswer, type NetRequest } from "@gantry/sdk";
import { bodyOf, proxyTo, serve } from "./loopback.test-kit.ts";
import { createUpstream } from "./upstream.ts";

const { signal } = new AbortController();
const get = (url: string, more: Partial<NetRequest> = {}): NetRequest => ({ url, signal, ...more });
const code = async (work: Promise<unknown>) =>
  (await work.then(
    () => undefined,
    (error: unknown) => error,
  )) as { code: string; message: string };

test("PRV-14: a request goes out with its method, headers and body, and the answer comes back whole", async () => {
  await using server = await serve((request, response) => {
    void bodyOf(request).then((body) => {
      response.writeHead(201, { "X-Two": ["a", "b"], "x-key": String(request.headers["x-key"]) });
      response.end(`${request.method} ${request.url} ${body}`);
    });
  });
  const upstream = createUpstream({});
  const answer = await upstream.fetch(
    get(`${server.url}/p?q=1`, { method: "post", headers: { "x-key": "k" }, body: "hällo" }),
  );
  expect(answer.status).toBe(201);
  expect(Object.fromEntries(answer.headers)).toMatchObject({ "x-two": "a, b", "x-key": "k" });
  expect(await answer.text()).toBe("POST /p?q=1 hällo");
  await upstream.close();
});

test("PRV-14: HTTP_PROXY carries plain requests, HTTPS_PROXY tunnels the others, in either case and with credentials", async () => {
  await using proxy = await proxyTo(1, 503);
  const address = `http://us%40er:pa%3Ass@127.0.0.1:${proxy.port}`;
  const basic = `Basic ${Buffer.from("us@er:pa:ss").toString("base64")}`;
  for (const env of [
    { HTTP_PROXY: address, HTTPS_PROXY: address },
    { http_proxy: address, https_proxy: address },
  ]) {
    proxy.seen.length = 0;
    const upstream = createUpstream(env);
    expect(await (await upstream.fetch(get("http://models.test/v1?key=s3cret"))).text()).toBe(
      "through the proxy",
    );
    const failed = await code(upstream.fetch(get("https://models.test/v1?key=s3cret")));
    expect(failed.code).toBe("NET_REFUSED");
    expect(failed.message).not.toMatch(/s3cret|pa:ss|pa%3Ass/);
    expect(proxy.seen).toEqual([
      { line: "GET http://models.test/v1?key=s3cret", auth: basic },
      { line: "CONNECT models.test:443", auth: basic },
    ]);
    await upstream.close();
  }
});

test("PRV-14: NO_PROXY goes around the proxy by name, suffix, address, range and port", async () => {
  await using server = await serve((_, response) => response.end("direct"));
  await using proxy = await proxyTo(1);
  const at = server.url;
  const env = (NO_PROXY: string) => ({ HTTP_PROXY: `127.0.0.1:${proxy.port}`, NO_PROXY });
  const cases: [string, string][] = [
    ["", "through the proxy"],
    ["127.0.0.1", "direct"],
    [`127.0.0.1:${server.port}`, "direct"],
    ["127.0.0.1:1", "through the proxy"],
    ["127.0.0.0/8", "direct"],
    ["10.0.0.0/8, ::1 *", "direct"],
    ["27.0.0.1", "through the proxy"],
  ];
  for (const [list, expected] of cases) {
    const upstream = createUpstream(env(list));
    expect([list, await (await upstream.fetch(get(at))).text()]).toEqual([list, expected]);
    await upstream.close();
  }
});

test("PRV-14: a proxy address that is none says so and names the variable", async () => {
  const upstream = createUpstream({ HTTPS_PROXY: "socks5://user:s3cret@127.0.0.1:1" });
  const failed = await code(upstream.fetch(get("https://models.test/")));
  expect(failed).toMatchObject({ code: "NET_REFUSED", message: expect.stringContaining("HTTPS_PROXY") });
  expect(failed.message).not.toContain("s3cret");
  await upstream.close();
});

test("SDK-10: an answer is the web's own Response, whatever status it has, and one without a body leaves the connection free", async () => {
  await using server = await serve((request, response) => {
    const status = Number(request.url?.slice(1));
    response.writeHead(status, { "set-cookie": ["a=1", "b=2"], "content-type": "application/json" });
    response.end(status === 204 || status === 304 ? undefined : JSON.stringify({ status }));
  });
  const upstream = createUpstream({});
  for (const status of [200, 404, 599, 999]) {
    const answer = await upstream.fetch(get(`${server.url}/${status}`));
    expect(answer).toBeInstanceOf(Response);
    expect([answer.status, answer.ok, answer.url]).toEqual([
      status,
      status === 200,
      `${server.url}/${status}`,
    ]);
    expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(await answer.json()).toEqual({ status });
    await expect(answer.text()).rejects.toThrow(TypeError);
  }
  for (const status of [204, 304]) {
    const answer = await upstream.fetch(get(`${server.url}/${status}`));
    expect([answer.status, answer.body, await answer.text()]).toEqual([status, null, ""]);
  }
  await upstream.close();
});

test("SDK-10: of an answer that was read piece by piece headers and class are still there, and its body is told as read", async () => {
  await using server = await serve((_, response) => void response.setHeader("x-kind", "test").end("whole"));
  const upstream = createUpstream({});
  const [read, copied, cancelled, itself] = await Promise.all(
    [0, 1, 2, 3].map(() => upstream.fetch(get(server.url))),
  );
  const pieces: Uint8Array[] = [];
  for await (const piece of read?.body ?? []) pieces.push(piece);
  expect([Buffer.concat(pieces).toString(), read?.bodyUsed]).toEqual(["whole", true]);
  expect([read?.headers.get("x-kind"), read?.type, read && "json" in read]).toEqual([
    "test",
    "default",
    true,
  ]);
  await expect(read?.text()).rejects.toThrow("already been read");

  const copy = copied?.clone();
  expect(await Promise.all([copied?.text(), copy?.text()])).toEqual(["whole", "whole"]);
  await cancelled?.body?.cancel();
  expect(cancelled?.bodyUsed).toBe(true);

  expect(itself?.bodyUsed).toBe(false);
  const whole: Uint8Array[] = [];
  for await (const piece of itself as unknown as AsyncIterable<Uint8Array>) whole.push(piece);
  expect([Buffer.concat(whole).toString(), itself?.bodyUsed]).toEqual(["whole", true]);
  await expect(itself?.text()).rejects.toThrow("already been read");
  await upstream.close();
});

test("PRV-14: redirects are handed back, never followed", async () => {
  let hits = 0;
  await using server = await serve((_, response) => {
    hits++;
    response.writeHead(302, { location: "/elsewhere" }).end();
  });
  const upstream = createUpstream({});
  const answer = await upstream.fetch(get(server.url));
  await answer.text();
  expect([answer.status, answer.headers.get("location"), hits]).toEqual([302, "/elsewhere", 1]);
  await upstream.close();
});

test("PRV-13: refused, slow, cut off, too large, cancelled and malformed each have their code and print no secret", async () => {
  await using server = await serve((request, response) => {
    if (request.url?.startsWith("/slow")) return;
    if (request.url?.startsWith("/stall")) return void response.write("some");
    if (request.url?.startsWith("/cut")) {
      response.write("some");
      return void setImmediate(() => response.destroy());
    }
    response.end("x".repeat(5_000));
  });
  const upstream = createUpstream({});
  const ask = (path: string, more: Partial<NetRequest> = {}) =>
    code(upstream.fetch(get(`${server.url}${path}?key=s3cret`, more)).then((answer) => answer.text()));
  const cancelled = new AbortController();
  const waiting = ask("/slow", { signal: cancelled.signal });
  setTimeout(() => cancelled.abort(), 50);
  const results = {
    refused: await code(upstream.fetch(get("http://u:s3cret@127.0.0.1:1/?key=s3cret"))),
    slow: await ask("/slow", { timeoutMs: 100 }),
    stall: await ask("/stall", { timeoutMs: 100 }),
    cut: await ask("/cut"),
    large: await ask("/large", { maxBytes: 4_999 }),
    cancelled: await waiting,
    header: await ask("/x", { headers: { authorization: "Bearer s3cret\r\n" } }),
    url: await code(upstream.fetch(get("ftp://u:s3cret@host/x?key=s3cret"))),
    nonsense: await code(upstream.fetch(get("//u:s3cret@host?s3cret"))),
  };
  expect(Object.fromEntries(Object.entries(results).map(([name, error]) => [name, error.code]))).toEqual({
    refused: "NET_REFUSED",
    slow: "NET_TIMEOUT",
    stall: "NET_TIMEOUT",
    cut: "NET_REFUSED",
    large: "NET_TOO_LARGE",
    cancelled: "NET_CANCELLED",
    header: "NET_REFUSED",
    url: "NET_BAD_URL",
    nonsense: "NET_BAD_URL",
  });
  for (const error of Object.values(results)) expect(error.message).not.toContain("s3cret");
  await upstream.close();
});

test("PRV-15: an answer of exactly the limit is whole", async () => {
  await using server = await serve((_, response) => response.end("x".repeat(5_000)));
  const upstream = createUpstream({});
  expect(await (await upstream.fetch(get(server.url, { maxBytes: 5_000 }))).text()).toHaveLength(5_000);
  await upstream.close();
});

test("PRV-14: user and password in an address are sent as Basic, unless the request has a credential", async () => {
  await using server = await serve((request, response) => response.end(request.headers.authorization));
  const upstream = createUpstream({});
  const address = server.url.replace("//", "//me:p%40ss@");
  expect(await (await upstream.fetch(get(address))).text()).toBe(
    `Basic ${Buffer.from("me:p@ss").toString("base64")}`,
  );
  expect(await (await upstream.fetch(get(address, { headers: { Authorization: "Bearer k" } }))).text()).toBe(
    "Bearer k",
  );
  await upstream.close();
});

test("PRV-14: a raw connection goes directly, or through the proxy that HTTPS_PROXY names and NO_PROXY does not lift", async () => {
  const echo = createServer((socket) => void socket.on("error", () => {}).pipe(socket));
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
  const { port } = echo.address() as AddressInfo;
  await using proxy = await proxyTo(port);
  const said = async (env: NodeJS.ProcessEnv, host: string): Promise<string> => {
    const socket = await createUpstream(env).connect(host, port, signal);
    socket.write("hello");
    const [piece] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    return String(piece);
  };
  const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: "127.0.0.1" };
  expect(await said({}, "127.0.0.1")).toBe("hello");
  expect(await said(env, "127.0.0.1")).toBe("hello");
  expect(proxy.seen).toEqual([]);
  expect(await said(env, "mail.test")).toBe("hello");
  expect(proxy.seen).toEqual([{ line: `CONNECT mail.test:${port}`, auth: undefined }]);
  await new Promise((resolve) => echo.close(resolve));
});

test("PRV-14: a raw connection that cannot be made is told as NET_REFUSED or NET_CANCELLED, also by the proxy", async () => {
  await using proxy = await proxyTo(1, 403);
  const upstream = createUpstream({});
  expect((await code(upstream.connect("127.0.0.1", 1, signal))).code).toBe("NET_REFUSED");
  expect((await code(upstream.connect("127.0.0.1", 1, AbortSignal.abort()))).code).toBe("NET_CANCELLED");
  const through = createUpstream({ https_proxy: `http://127.0.0.1:${proxy.port}` });
  const refused = await code(through.connect("mail.test", 993, signal));
  expect([refused.code, refused.message]).toEqual([
    "NET_REFUSED",
    expect.stringContaining("the proxy answered HTTP 403"),
  ]);
});

test("FLR-08: a failure tells whether the request may have arrived: not before a connection is there", async () => {
  const failures: [string, boolean][] = [];
  await using server = await serve((request, response) => {
    if (request.url === "/cut") request.socket.destroy();
    if (request.url === "/half")
      response.writeHead(200, { "content-length": 9 }).write("x", () => response.destroy());
  });
  const upstream = createUpstream({});
  const ends: Record<string, Partial<NetRequest>> = {
    [`${server.url}/cut`]: {},
    [`${server.url}/half`]: {},
    [`${server.url}/silent`]: { timeoutMs: 50 },
    "http://127.0.0.1:1/": {},
    "http://no-such-name.invalid/": {},
  };
  for (const [url, more] of Object.entries(ends)) {
    const asking = upstream.fetch(get(url, { ...more, method: "POST", body: "x" }));
    const failure = await asking.then((answer) => answer.text()).catch((error: unknown) => error);
    failures.push([new URL(url).pathname, isWithoutAnswer(failure)]);
  }
  expect(failures).toEqual([
    ["/cut", true],
    ["/half", true],
    ["/silent", true],
    ["/", false],
    ["/", false],
  ]);
  await upstream.close();
});
