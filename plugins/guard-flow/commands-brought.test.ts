import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Checks, type CommandContext, Commands, definePlugin, defineTool, Store, Tools } from "@gantry/sdk";
import { memoryStore, startTestHost, type TestHost } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";
import commands from "../guard-commands/index.ts";
import landlock from "../sandbox-landlock/index.ts";
import files from "../tool-files/index.ts";
import shell from "../tool-shell/index.ts";
import guard from "./index.ts";

/** A way out. */
const mail = definePlugin({
  name: "tool-mail",
  provides: [Tools],
  setup: (host) =>
    host.provide(
      Tools,
      defineTool({
        name: "mail_send",
        description: "A tool.",
        input: Type.Object({}),
        effects: () => ({ recipients: ["bob"] }),
        run: async () => "sent",
      }),
    ),
});

/**
 * Starts a host in which commands reach these domains; undefined if the machine has no such walls.
 */
async function start(allowed_domains = ["example.org"]): Promise<TestHost | undefined> {
  const plugins = [guard, commands, landlock, shell, files, mail, memoryStore()];
  const t = await startTestHost({ plugins, config: { security: { allowed_domains } } });
  const rows = await t.slot(Checks).get("sandbox-status")?.run(new AbortController().signal);
  if (rows?.some(({ what, state }) => what === "sandbox" && state === "ok")) return t;
  await t.stop();
  return undefined;
}

/** Returns what becomes of a message out of a new conversation that has read these files. */
async function sentAfter(t: TestHost, ...names: readonly string[]): Promise<string> {
  const session = `reads ${names.join()}`;
  for (const name of names)
    expect(await t.call("file_read", { path: name }, { session })).toMatchObject({ decision: "allowed" });
  const { decision, code } = await t.call("mail_send", {}, { session });
  return code ?? decision;
}

const sh = (t: TestHost, session: string, command: string) =>
  t.call("shell", { command }, { session, approvals: "yes" });
const asked = "APPROVAL_NO_PERSON";

test("FLR-04: what a command with network wrote is material for whoever reads it later", async ({ skip }) => {
  await using t = await start();
  if (!t) return skip("there are no views");
  writeFileSync(path.join(t.runtime.workspace, "owners"), "own\n");
  // Bash reaches out by itself, so the command counts as one that did.
  await sh(t, "one", "bash -c 'mkdir -p got/in; echo page > got/in/file; echo page > vendor.md'");
  expect(await sentAfter(t, "owners")).toBe("allowed");
  expect(await sentAfter(t, "vendor.md")).toBe(asked);
  expect(await sentAfter(t, "got/in/file")).toBe(asked);
});

test("FLR-04: what a command wrote is noted as material before it is in the workspace", async ({ skip }) => {
  await using t = await start();
  if (!t) return skip("there are no views");
  const file = path.join(t.runtime.workspace, "page.md");
  const { values } = t.slot(Store);
  const put = values.put.bind(values);
  const seen: boolean[] = [];
  values.put = async (space, key, ...rest) => {
    if (key === file) seen.push(existsSync(file));
    return put(space, key, ...rest);
  };
  await sh(t, "one", "bash -c 'echo page > page.md'");
  expect([seen[0], existsSync(file)]).toEqual([false, true]);
});

test("FLR-04: a file that is material stays so when a command moves or copies it", async ({ skip }) => {
  await using t = await start();
  if (!t) return skip("there are no views");
  mkdirSync(path.join(t.runtime.workspace, "d"));
  await sh(t, "one", "bash -c 'echo page > saved.md'");
  for (const [session, command] of [
    ["two", "mv saved.md moved.md"],
    ["three", "cp moved.md d/copied.md"],
    ["four", "ln moved.md linked.md"],
  ] as const)
    expect(await sh(t, session, command)).toMatchObject({ text: "[exit code 0]" });
  for (const name of ["moved.md", "d/copied.md", "linked.md"]) expect(await sentAfter(t, name)).toBe(asked);
});

test("FLR-04: of many files that a command wrote each one is material", async ({ skip }) => {
  await using t = await start();
  if (!t) return skip("there are no views");
  const { workspace } = t.runtime;
  for (const name of ["many", "many/d", "few"]) mkdirSync(path.join(workspace, name));
  writeFileSync(path.join(workspace, "few/own"), "own");
  await sh(t, "one", "bash -c 'for i in {1..300}; do echo page > many/d/f$i; done'");
  expect(await sentAfter(t, "many/d/f300")).toBe(asked);
  expect(await sentAfter(t, "few/own")).toBe("allowed");
});

/** Takes over what was kept of the only run. */
async function takeKept(t: TestHost): Promise<string> {
  const views = path.join(t.configDir, "state/views");
  const args = readdirSync(path.join(views, readdirSync(views)[0]!));
  const said: string[] = [];
  const context = { args, options: {}, out: (line: string) => said.push(line) };
  await t
    .slot(Commands)
    .get("runs take")!
    .run(context as unknown as CommandContext);
  return said.join("\n");
}

test.for([
  ["material if its conversation held any", ["example.org"], asked],
  ["no material if its conversation held none", [], "allowed"],
] as const)("FLR-04: what the owner takes of a run is %s", async ([, domains, expected], { skip }) => {
  await using t = await start([...domains]);
  if (!t) return skip("there are no views");
  await sh(t, "one", "bash -c 'n=AGENTS; echo page > $n.md'");
  expect(await takeKept(t)).toBe("Taken over: AGENTS.md.");
  expect(await sentAfter(t, "AGENTS.md")).toBe(expected);
});
