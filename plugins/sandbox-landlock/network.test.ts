import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type Server as HttpServer, createServer as createHttpServer } from "node:http";
import { type Server, connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { Net, Sandbox, definePlugin, errors } from "@gantry/sdk";
import { checkedProxy } from "@gantry/sdk/node";
import { type TestHost, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import netUndici from "../net-undici/index.ts";
import shell from "../tool-shell/index.ts";
import sandbox from "./index.ts";

const linux = process.platform === "linux";

/** Knows one name, `allowed.test`, and leads it to a server on loopback. */
function netTo(port: () => number): Net {
  return {
    check: async () => undefined,
    fetch: async () => Promise.reject(errors.NET_BLOCKED("everything", "this is a test")),
    connect: async (host) => {
      if (host !== "allowed.test") throw errors.NET_BLOCKED(host, "it is not in security.allowed_domains");
      return connect(port(), "127.0.0.1");
    },
  };
}

function netPlugin(port: () => number) {
  return definePlugin({ name: "net-test", provides: [Net], setup: (host) => host.provide(Net, netTo(port)) });
}

async function listen<T extends Server | HttpServer>(
  server: T,
  host = "127.0.0.1",
  port = 0,
): Promise<number> {
  await new Promise<void>((resolve, reject) =>
    server.once("error", reject).listen(port, host, () => resolve()),
  );
  return (server.address() as AddressInfo).port;
}

const curl = async (...args: string[]): Promise<string> =>
  new Promise((resolve) =>
    execFile("curl", ["-sS", "-i", "-m", "3", ...args], (_, out, err) => resolve(out + err)),
  );

/** Says what a socket file answers. */
const client = (at: string): string =>
  `perl -e 'use Socket; socket(S,AF_UNIX,SOCK_STREAM,0); print connect(S,pack_sockaddr_un("${at}")) ? <S> : "no: $!"'`;

interface Scene {
  readonly t: TestHost;
  readonly port: number;
  run(command: string): Promise<string>;
  readonly requests: string[];
}

async function scene(use: (scene: Scene) => Promise<void>): Promise<void> {
  const requests: string[] = [];
  const server = createHttpServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      requests.push(
        `${request.method} ${request.headers.host}${request.url} ${body} ${Object.keys(request.headers).join(",")}`,
      );
      response.end("from the server\n");
    });
  });
  const port = await listen(server);
  try {
    await using t = await startTestHost({
      plugins: [sandbox, shell, netPlugin(() => port)],
      config: { security: { allowed_domains: ["allowed.test"] } },
    });
    const run = async (command: string): Promise<string> =>
      (await t.call("shell", { command, timeout_seconds: 60 })).text;
    await use({ t, port, run, requests });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test.runIf(linux)(
  "SBX-02: with allowed_domains programs reach an allowed host through the proxy, by plain requests and by CONNECT",
  async () => {
    await scene(async ({ t, run, requests }) => {
      expect(await run("curl -sS -d body http://allowed.test/a?b=c")).toContain("from the server");
      expect(await run("curl -sS -p http://allowed.test/tunnel")).toContain("from the server");
      expect(requests[0]).toMatch(/^POST allowed\.test\/a\?b=c body /);
      expect(requests[0]).not.toContain("proxy-authorization");
      expect(requests[1]).toMatch(/^GET allowed\.test\/tunnel /);
      expect((await t.slot(Sandbox).policy()).detail).toContain(
        "only through the service's proxy to allowed.test",
      );
    });
  },
);

test.runIf(linux)(
  "SBX-02: a host that is not allowed is refused with the reason, by plain requests and by CONNECT",
  async () => {
    await scene(async ({ run, requests }) => {
      expect(await run("curl -sS http://other.test/")).toContain(
        "other.test is not allowed: it is not in security.allowed_domains",
      );
      expect(await run("curl -sS -p http://other.test/")).toContain("403");
      expect(await run("curl -sS https://169.254.169.254/latest")).toContain("403");
      expect(requests).toEqual([]);
    });
  },
);

test.runIf(linux)(
  "SBX-02: nothing but the proxy can be reached: no other port, address, family or listener",
  async () => {
    await scene(async ({ run, port, requests }) => {
      const elsewhere = createServer((socket) => {
        requests.push("elsewhere");
        socket.destroy();
      });
      const proxyPort = /:(\d+)$/.exec((await run("echo $http_proxy")).split("\n")[0]!)![1]!;
      await listen(elsewhere, "127.0.0.2", Number(proxyPort));
      const attempts = [
        `curl --noproxy '*' -sS -m 3 http://127.0.0.1:${port}/`,
        `exec 3<>/dev/tcp/127.0.0.1/${port} && echo got through`,
        `exec 3<>/dev/tcp/127.0.0.2/${proxyPort} && echo got through`,
        `exec 3<>/dev/tcp/::1/${proxyPort} && echo got through`,
        `exec 3<>/dev/tcp/1.1.1.1/443 && echo got through`,
        `exec 3<>/dev/udp/127.0.0.1/${proxyPort} && echo got through`,
        `perl -e 'use Socket; socket(S,AF_INET,SOCK_STREAM,0); send(S,"x",0x20000000,pack_sockaddr_in(${port},inet_aton("127.0.0.1"))) and print "got through"'`,
        `perl -e 'use Socket; socket(S,AF_INET,SOCK_STREAM,0); listen(S,1) and print "got through"'`,
        `perl -e 'use Socket; socket(S,AF_INET,SOCK_STREAM,0); bind(S,pack_sockaddr_in(0,INADDR_ANY)) and print "got through"'`,
        `perl -e 'use Socket; socket(S,AF_INET,SOCK_DGRAM,0) and print "got through"'`,
        `perl -e 'use Socket; socket(S,AF_UNIX,SOCK_STREAM,0); bind(S,pack("Sa*",1,"\\0x")) and listen(S,1) and print "got through"'`,
        `perl -e 'use Socket; socket(S,AF_UNIX,SOCK_STREAM,0); $b=pack("L4",64,0,0,0); ioctl(S,0x8912,$b) and print "got through"'`,
      ];
      for (const attempt of attempts) expect(await run(attempt)).not.toContain("got through");
      expect(requests).toEqual([]);
      expect(await run(`exec 3<>/dev/tcp/127.0.0.1/${proxyPort} && echo reached`)).toContain("reached");
      elsewhere.close();
    });
  },
);

const compiler = "/usr/bin/cc";
const racer = `
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
static volatile struct sockaddr_in to;
static int ports[2];
static void *swap(void *unused) { for (unsigned i = 0;; i++) to.sin_port = htons(ports[i & 1]); return unused; }
int main(int n, char **v) {
  pthread_t t; ports[0] = atoi(v[1]); ports[1] = atoi(v[2]);
  to.sin_family = AF_INET; to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  pthread_create(&t, 0, swap, 0);
  int done = 0, won = 0;
  while (done < 150 || (!won && done < 50000 && n)) { int s = socket(AF_INET, SOCK_STREAM, 0); done++; won += connect(s, (void *)&to, sizeof to) == 0; close(s); }
  printf("tried %d connected %d\\n", done, won); return 0;
}`;

test.runIf(linux && existsSync(compiler))(
  "SBX-02: an address that is changed while connect() is judged leads nowhere but to the proxy",
  async () => {
    await scene(async ({ t, run, requests }) => {
      const directory = mkdtempSync(path.join(tmpdir(), "gantry-racer-"));
      writeFileSync(path.join(directory, "racer.c"), racer);
      execFileSync(compiler, [
        "-pthread",
        "-o",
        path.join(t.runtime.workspace, "racer"),
        path.join(directory, "racer.c"),
      ]);
      rmSync(directory, { recursive: true });
      const contacts: number[] = [];
      const prey = createServer((socket) => {
        contacts.push(1);
        socket.destroy();
      });
      const preyPort = await listen(prey);
      const proxyPort = /:(\d+)$/.exec((await run("echo $http_proxy")).split("\n")[0]!)![1]!;
      const text = await run(`./racer ${proxyPort} ${preyPort}`);
      const [, tried = "0", connected = "0"] = /tried (\d+) connected (\d+)/.exec(text) ?? [];
      expect(Number(tried)).toBeGreaterThanOrEqual(150);
      expect(Number(connected)).toBeGreaterThan(0);
      expect(contacts).toEqual([]);
      expect(requests).toEqual([]);
      prey.close();
    });
  },
);

test("SBX-02: the proxy serves nobody without its credential, and closes what it opened", async () => {
  const server = createHttpServer((_, response) => response.end("inside"));
  const port = await listen(server);
  const proxy = await (await checkedProxy()).startProxy(netTo(() => port));
  const { url } = proxy.admit();
  const stranger = `http://127.0.0.1:${proxy.port}`;
  expect(await curl("-x", stranger, "http://allowed.test/")).toContain("407");
  expect(await curl("-x", stranger.replace("//", "//gantry:guess@"), "http://allowed.test/")).toContain(
    "407",
  );
  expect(await curl("-p", "-x", stranger, "http://allowed.test/")).toContain("407");
  expect(await curl("-x", url, "http://allowed.test/")).toContain("inside");
  expect(await curl("-x", url, "-p", "http://allowed.test/")).toContain("inside");
  await proxy.close();
  expect(await curl("-x", url, "http://allowed.test/")).not.toContain("inside");
  server.closeAllConnections();
  server.close();
});

test.runIf(linux)("SBX-02: without a plugin that reaches out, allowed_domains opens nothing", async () => {
  await using t = await startTestHost({
    plugins: [sandbox, shell],
    config: { security: { allowed_domains: ["allowed.test"] } },
  });
  expect(
    (await t.call("shell", { command: "env | grep -ci proxy; exec 3<>/dev/tcp/127.0.0.1/1" })).text,
  ).toContain("socket: Permission denied");
  expect((await t.slot(Sandbox).policy()).detail).toContain("no network");
});

test.runIf(linux)(
  "SBX-02: programs of one command talk over sockets of the workspace, and to no socket outside",
  async () => {
    const outside = mkdtempSync(path.join(tmpdir(), "gantry-sockets-"));
    const contacts: number[] = [];
    const server = createServer((socket) => {
      contacts.push(1);
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(path.join(outside, "socket"), resolve));
    await using t = await startTestHost({ plugins: [sandbox, shell] });
    const serve = `perl -e 'use Socket; socket(S,AF_UNIX,SOCK_STREAM,0); bind(S,pack_sockaddr_un("own")) or die; listen(S,1); print STDERR "up"; accept(C,S); print C "hello"'`;
    const { text } = await t.call("shell", {
      command: `${serve} 2>up & until [ -s up ]; do sleep 0.02; done; ${client("own")}; wait`,
    });
    expect(text).toContain("hello");
    expect((await t.call("shell", { command: client(path.join(outside, "socket")) })).text).toMatch(
      /no: (Permission denied|No such file)/,
    );
    expect(contacts).toEqual([]);
    server.close();
    rmSync(outside, { recursive: true });
  },
);

test.runIf(linux)(
  "SBX-02, SEC-07: under the real rules of egress the proxy leads neither to loopback nor to a domain that is not allowed",
  async () => {
    const contacts: string[] = [];
    const server = createServer((socket) => {
      contacts.push("contact");
      socket.destroy();
    });
    const port = await listen(server);
    await using t = await startTestHost({
      plugins: [sandbox, shell, netUndici],
      config: { security: { allowed_domains: ["localhost", "127.0.0.1", "*.example.test"] } },
    });
    for (const host of [
      "127.0.0.1",
      "localhost",
      "[::1]",
      "[::ffff:127.0.0.1]",
      "2130706433",
      "0x7f.1",
      "other.test",
    ]) {
      for (const flag of ["", "-p"]) {
        const { text } = await t.call("shell", {
          command: `curl -sS -i -m 5 ${flag} 'http://${host}:${port}/'`,
        });
        expect(text).toMatch(/403|502|not allowed|Refused|URL/);
      }
    }
    expect(contacts).toEqual([]);
    server.close();
  },
);
