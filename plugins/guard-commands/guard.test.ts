import { Type } from "typebox";
import { expect, test } from "vitest";
import { definePlugin, defineTool, ShellReader, Tools } from "@gantry/sdk";
import { startTestHost } from "@gantry/sdk/testing";
import autonomy from "../guard-autonomy/index.ts";
import guard from "./index.ts";
import { processorMs } from "../../test/helpers/processor-time.ts";

const ran: string[] = [];
const tools = definePlugin({
  name: "tool-some",
  provides: [Tools],
  setup(host) {
    const input = Type.Object({ lines: Type.Array(Type.String()) });
    host.provide(
      Tools,
      defineTool({
        name: "sh",
        description: "Commands.",
        input,
        run: async ({ args }) => {
          ran.push(...args.lines);
          return "done";
        },
        effects: ({ lines }) => ({ commands: lines }),
      }),
    );
  },
});
const start = (config: Record<string, unknown> = {}) => startTestHost({ plugins: [guard, tools], config });
type Host = Awaited<ReturnType<typeof start>>;
const call = (host: Host, ...lines: string[]) => host.call("sh", { lines }, { approvals: "none" });

test("SEC-03: the default list is in force; a person's yes does not lift a refusal", async () => {
  await using host = await start();
  const defaults =
    "sudo su doas mkfs dd shutdown reboot poweroff halt mount umount insmod rmmod modprobe chroot nsenter unshare iptables nft passwd useradd userdel crontab";
  for (const name of defaults.split(" ")) {
    expect(await host.call("sh", { lines: [`ls | env ${name} x`] }, { approvals: "yes" })).toMatchObject({
      decision: "refused",
      code: "COMMAND_BLOCKED",
    });
  }
  expect(await call(host, "mkfs.ext4 /dev/x")).toMatchObject({ code: "COMMAND_BLOCKED" });
  expect(ran).toEqual([]);
  expect(await call(host, "rm x")).toMatchObject({ decision: "allowed" });
});

test("ERR-01: each refusal says `Command blocked by security policy` and why", async () => {
  await using host = await start({ security: { blocked_commands: ["rm"] } });
  const texts = await Promise.all(
    ["rm x", "PATH=. ls", "echo 'x", "gantry status"].map((line) => call(host, line)),
  );
  for (const { decision, text } of texts)
    expect([decision, text]).toEqual([
      "refused",
      expect.stringMatching(/^Command blocked by security policy: /),
    ]);
  expect(texts[0]?.text).toContain("`rm` is in security.blocked_commands");
});

test("SEC-03: an entry may name leading arguments, with options in between", async () => {
  await using host = await start({
    security: { blocked_commands: ["git push", "docker run", "npm publish --tag"] },
  });
  for (const line of [
    "git push",
    "git push origin main",
    "git -C dir push",
    "git --no-pager push -f",
    "git --git-dir=x push",
    "sh -c 'git push'",
    "ls | xargs git push",
  ]) {
    expect([line, (await call(host, line)).code]).toEqual([line, "COMMAND_BLOCKED"]);
  }
  expect(await call(host, "echo git push")).toMatchObject({ decision: "allowed" });
  for (const line of ["git log push", "git pull", "git", "git $X", "ls | xargs git"])
    expect([line, (await call(host, line)).code]).toEqual([line, "APPROVAL_NO_PERSON"]);
});

test("SEC-03: every command of a call is judged, and the first refusal is the answer", async () => {
  await using host = await start({ security: { blocked_commands: ["rm"] } });
  expect(await call(host, "ls", "$X", "rm y")).toMatchObject({ code: "COMMAND_BLOCKED" });
  expect(await call(host, "ls", "$X")).toMatchObject({ code: "APPROVAL_NO_PERSON" });
});

test("SEC-04: what is known only at run time asks, and the sentence is true of each program", async () => {
  await using host = await startTestHost({ plugins: [guard, autonomy, tools] });
  expect(await call(host, "$X y")).toMatchObject({ decision: "refused", code: "APPROVAL_NO_PERSON" });
  expect(await host.call("sh", { lines: ["bash x.sh"] }, { approvals: "yes" })).toMatchObject({
    decision: "approved",
  });
  const [opinion] = await host.explain("sh", { lines: ["python -c 1"] });
  expect(opinion?.outcome).toMatchObject({
    verdict: "ask",
    code: "COMMAND_UNCERTAIN",
    reason: expect.stringContaining("`python` is not on the list of plain programs"),
  });
});

test("SEC-11: a tool cannot run the service's own commands, by any name or wrapper", async () => {
  await using host = await start({ security: { blocked_commands: [] } });
  for (const line of [
    "gantry config set agent.autonomy_level autonomous",
    "/usr/local/bin/gantry pair new",
    "env gantry agent --yes -m x",
    "sh -c 'gantry config get api_key'",
    "find . -exec gantry status \\;",
  ]) {
    expect([line, (await host.call("sh", { lines: [line] }, { approvals: "yes" })).code]).toEqual([
      line,
      "COMMAND_OWN",
    ]);
  }
  for (const line of ["SERVICE_CONFIG_DIR=x ls", "export SERVICE_API_KEY=x"])
    expect([line, (await call(host, line)).code]).toEqual([line, "COMMAND_VARIABLE"]);
});

test("SEC-04: what is too long, too deep or too much to read is refused, and soon", async () => {
  await using host = await start();
  const much = [
    "env ".repeat(15_000) + "ls",
    "ls;".repeat(5_000),
    "(".repeat(5_000) + "ls" + ")".repeat(5_000),
    "eval ".repeat(200) + "ls",
    "x".repeat(70_000),
    "$(".repeat(400) + "ls" + ")".repeat(400),
    `sed '${"s/".repeat(30_000)}'`,
    `echo ${"{a,b}".repeat(9_000)}`,
  ];
  for (const line of much) {
    let decision: string | undefined;
    const spent = await processorMs(async () => {
      ({ decision } = await call(host, line));
    });
    expect([line.slice(0, 20), spent < 2_000]).toEqual([line.slice(0, 20), true]);
    expect([line.slice(0, 20), decision]).toEqual([
      line.slice(0, 20),
      line.startsWith("echo {") ? "allowed" : "refused",
    ]);
  }
});

test("CFG-07: an entry that names no command stops the start", async () => {
  for (const entry of ["", "  ", "/"])
    await expect(start({ security: { blocked_commands: [entry] } })).rejects.toThrow(
      "security.blocked_commands",
    );
});

test("SEC-05: other guards read the same text: nested words and redirections", async () => {
  await using host = await start();
  const { commands, files } = await host.slot(ShellReader).read('sh -c "cat a $x > b"; ls < c');
  expect(
    commands.map((words) => words.map(({ text, whole }) => (whole ? text : `${text}…`)).join(" ")),
  ).toEqual(["sh -c cat a …", "cat a gantry_unknown", "ls"]);
  expect(files.map(({ text }) => text)).toEqual(["b", "c"]);
  await expect(host.slot(ShellReader).read("echo 'x")).rejects.toMatchObject({ code: "COMMAND_UNREADABLE" });
});
