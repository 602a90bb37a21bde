import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { directMessage, Inbox, type PromptOptions } from "@gantry/sdk";
import { bundledPlugin, fakeProvider, memoryStore, startTestHost, type TestHost } from "@gantry/sdk/testing";
import { array, assert, asyncProperty, constantFrom } from "fast-check";
import { expect, test } from "vitest";
import { tool } from "./helpers/plugins.ts";

const names = [
  "guard-autonomy",
  "guard-commands",
  "guard-paths",
  "prompt-instructions",
  "sandbox-landlock",
  "tool-files",
  "tool-shell",
];
const bundled = await Promise.all(names.map(bundledPlugin));
const where = tool("where", async ({ cwd }) => cwd);
const { signal } = new AbortController();
/** A text that `b` alone holds. */
const canary = "canary-of-b";

/** A workspace with the folders `a` and `b`, each with a file; links of `a` lead to the other. */
async function opened(config: Readonly<Record<string, unknown>> = {}, answers = ["ok"]): Promise<TestHost> {
  const plugins = [...bundled, where, memoryStore(), fakeProvider(answers)];
  const t = await startTestHost({ plugins, config });
  for (const name of ["a", "b", "a/deep"]) mkdirSync(path.join(t.runtime.workspace, name));
  const at = (name: string): string => path.join(t.runtime.workspace, name);
  writeFileSync(at("a/own"), "own of a\n");
  writeFileSync(at("b/own"), `${canary}\n`);
  writeFileSync(at("top"), "top\n");
  symlinkSync(at("b"), at("a/link"));
  symlinkSync("../b/own", at("a/file"));
  return t;
}

type Where = Pick<PromptOptions, "workspace">;

/** One call of the owner's in a workspace; all that is asked is allowed. */
async function call(t: TestHost, tool: string, args: Readonly<Record<string, unknown>>, placed: Where) {
  const message = directMessage({ channel: "cli", id: crypto.randomUUID(), from: "test", text: "" });
  const owner = { ...message, trust: "owner" } as const;
  const inbox = t.slot(Inbox);
  const outcome = await inbox.call?.(owner, { tool, args, approvals: "yes", signal, ...placed });
  if (!outcome) throw new Error("this host runs no calls outside of turns");
  return outcome;
}

const inA = { workspace: "a" };
const linux = process.platform === "linux";

/** Each bundled tool that takes a file, with arguments that would show it or change it. */
const fileTools: readonly (readonly [
  tool: string,
  args: (file: string) => Readonly<Record<string, unknown>>,
])[] = [
  ["file_read", (path) => ({ path })],
  ["file_list", (file) => ({ path: path.dirname(file) })],
  ["file_search", (file) => ({ path: path.dirname(file), pattern: "canary" })],
  ["file_find", (file) => ({ path: path.dirname(file), glob: "*" })],
  ["file_write", (path) => ({ path, content: "gone" })],
  ["file_edit", (path) => ({ path, old: canary, new: "gone" })],
];
const ways = (t: TestHost): readonly string[] => [
  "../b/own",
  path.join(t.runtime.workspace, "b/own"),
  "link/own",
  "deep/../../b/own",
  path.join(t.runtime.workspace, "a/link/own"),
];

test.runIf(linux).each(fileTools)(
  "SDK-17: in one folder %s reaches no other, however it is named",
  async (name, args) => {
    await using t = await opened();
    for (const file of ways(t)) {
      const { decision, text } = await call(t, name, args(file), inA);
      expect([file, decision, text.includes(canary)]).toEqual([file, "refused", false]);
    }
    expect(readFileSync(path.join(t.runtime.workspace, "b/own"), "utf8")).toBe(`${canary}\n`);
  },
);

test.runIf(linux)(
  "SDK-17: the walls hold a command of one folder to it, whatever its text hides",
  async () => {
    await using t = await opened();
    const b = path.join(t.runtime.workspace, "b");
    const hidden = [
      `f=$(printf '%s' b); cat ../$f/own`,
      `cat "$(dirname "$PWD")/b/own"`,
      `cat lin*/own; cat fil?`,
      `ls "$(dirname "$PWD")"; d=..; cat $d/top; cat $d/*/own`,
      `x=$(echo own); echo gone > ../b/$x; ln -s ../b mine; cat mine/$x`,
      `find / -name own -path '*b*' -exec cat {} + 2>/dev/null`,
    ];
    for (const command of hidden) {
      const { text } = await call(t, "shell", { command }, inA);
      expect([command, text.includes(canary), text.includes("top\n")]).toEqual([command, false, false]);
    }
    expect(readFileSync(path.join(b, "own"), "utf8")).toBe(`${canary}\n`);
    const own = await call(t, "shell", { command: "cat own; echo new > made; echo $HOME; pwd" }, inA);
    const a = path.join(t.runtime.workspace, "a");
    expect(own.text).toContain(`own of a\n${a}\n${a}`);
    expect(readFileSync(path.join(a, "made"), "utf8")).toBe("new\n");
  },
  60_000,
);

test.runIf(linux)(
  "SDK-17: in its own folder a turn reads, writes, lists and finds as in a workspace",
  async () => {
    await using t = await opened();
    const a = path.join(t.runtime.workspace, "a");
    expect((await call(t, "where", {}, inA)).text).toBe(a);
    expect((await call(t, "file_read", { path: "own" }, inA)).text).toContain("own of a");
    expect((await call(t, "file_write", { path: "x/new", content: "n" }, inA)).decision).toBe("approved");
    expect(readFileSync(path.join(a, "x/new"), "utf8")).toBe("n");
    expect((await call(t, "file_find", { glob: "own" }, inA)).text).toContain("own");
    expect((await call(t, "where", {}, {})).text).toBe(t.runtime.workspace);
    expect((await call(t, "file_read", { path: "b/own" }, {})).text).toContain(canary);
  },
);

test.runIf(linux)(
  "SDK-17: calls of two folders beside each other each see their own",
  async () => {
    await using t = await opened();
    const step = array(constantFrom("a", "b"), { minLength: 2, maxLength: 6 });
    const property = asyncProperty(step, async (folders) => {
      const texts = await Promise.all(
        folders.map(async (workspace) => {
          const seen = await call(t, "shell", { command: "cat own $(echo ..)/*/own" }, { workspace });
          return seen.text.includes(canary);
        }),
      );
      expect(texts).toEqual(folders.map((folder) => folder === "b"));
    });
    await assert(property, { numRuns: 5 });
  },
  60_000,
);

test.runIf(linux)(
  "SDK-17: names of secret files hold in a folder as they are written for the workspace",
  async () => {
    await using t = await opened({ security: { secret_files: ["/a/own", ".env"] } });
    writeFileSync(path.join(t.runtime.workspace, "a/.env"), "KEY=1\n");
    for (const file of ["own", ".env"]) {
      expect((await call(t, "file_read", { path: file }, inA)).decision).toBe("refused");
      const hidden = await call(t, "shell", { command: `f=$(printf '%s' ${file}); cat $f` }, inA);
      expect(hidden.text).not.toMatch(/own of a|KEY=1/);
    }
    expect((await call(t, "file_write", { path: "AGENTS.md", content: "x" }, inA)).decision).toBe("refused");
  },
);

test.runIf(linux)(
  "SDK-17: a rule of security.allow means the same files in a folder as in the workspace",
  async () => {
    const security = { allow: ["file_write: notes/**"] };
    await using t = await opened({ security });
    const write = (path: string, placed: Where) =>
      t
        .slot(Inbox)
        .call?.(
          { ...directMessage({ channel: "cli", id: path, from: "test", text: "" }), trust: "owner" },
          { tool: "file_write", args: { path, content: "x" }, approvals: "none", signal, ...placed },
        );
    expect(await write("notes/x", {})).toMatchObject({ decision: "allowed" });
    expect(await write("notes/x", inA)).toMatchObject({ code: "APPROVAL_NO_PERSON" });
  },
);

test("SDK-17: without walls the guard alone refuses what is beyond the folder", async () => {
  const paths = await bundledPlugin("guard-paths");
  const look = tool("look", async ({ effects }) => effects.paths.map(({ path: at }) => at).join(), {
    effects: ({ path: at }: { path: string }) => ({ paths: [{ path: at, access: "read" }] }),
  });
  await using t = await startTestHost({ plugins: [paths, look] });
  mkdirSync(path.join(t.runtime.workspace, "a"));
  writeFileSync(path.join(t.runtime.workspace, "top"), "");
  symlinkSync("../top", path.join(t.runtime.workspace, "a/link"));
  for (const file of ["../top", "link", path.join(t.runtime.workspace, "top"), ".."])
    expect(await call(t, "look", { path: file }, inA)).toMatchObject({ code: "PATH_OUTSIDE" });
  expect(await call(t, "look", { path: "own" }, inA)).toMatchObject({ text: "own" });
  expect(await call(t, "look", { path: "top" }, {})).toMatchObject({ text: "top" });
});

test.each([
  ["a folder beside it", "..", "WORKSPACE_OUTSIDE"],
  ["the root", "/", "WORKSPACE_OUTSIDE"],
  ["a link that leads out", "out", "WORKSPACE_OUTSIDE"],
  ["what is not there", "none", "WORKSPACE_ABSENT"],
  ["what is not there, outside", "../none", "WORKSPACE_OUTSIDE"],
  ["a file", "top", "WORKSPACE_ABSENT"],
])("SDK-17: a turn does not begin in %s, and says why", async (_, workspace, code) => {
  await using t = await opened();
  symlinkSync("/usr", path.join(t.runtime.workspace, "out"));
  await expect(t.ask("go", { workspace })).rejects.toMatchObject({ code });
  await expect(call(t, "where", {}, { workspace })).rejects.toMatchObject({ code });
});

test("SDK-17: instructions and prompt are those of the folder, and of the workspace around it", async () => {
  const model = fakeProvider(["ok"]);
  await using t = await startTestHost({ plugins: [...bundled, model] });
  const at = (name: string): string => path.join(t.runtime.workspace, name);
  for (const name of ["a", "b"]) {
    mkdirSync(at(name));
    writeFileSync(at(`${name}/AGENTS.md`), `Told in ${name}.`);
  }
  writeFileSync(at("AGENTS.md"), "Told to all.");
  await t.ask("go", inA);
  const system = JSON.stringify(model.requests[0]?.messages[0]);
  expect(system).toContain(`relative to the workspace ${at("a")}.`);
  expect([system.includes("Told in a."), system.includes("Told to all.")]).toEqual([true, true]);
  expect(system).not.toContain("Told in b.");
});

test("SDK-17: a turn within a turn works in its folder, or in one inside it", async () => {
  const inner = (workspace?: string) =>
    tool("hand", async ({ signal: inTime }) => {
      const message = directMessage({ channel: "x", id: crypto.randomUUID(), from: "x", text: "in" });
      const options = { keep: false, approvals: "none", signal: inTime } as const;
      const placed = workspace === undefined ? {} : { workspace };
      return (await held.inbox?.prompt(message, { ...options, ...placed }))?.reply ?? "";
    });
  const held: { inbox?: Inbox } = {};
  const run = async (workspace?: string): Promise<string> => {
    const model = fakeProvider([
      { calls: [{ name: "hand", args: {} }] },
      ({ messages }) => {
        const last = messages.at(-1);
        if (last?.role === "tool") return JSON.stringify(last.parts);
        return /workspace (\S+)\. A refused/.exec(JSON.stringify(messages[0]?.parts))?.[1] ?? "?";
      },
    ]);
    await using t = await startTestHost({ plugins: [inner(workspace), model] });
    for (const name of ["a", "a/deep", "b"]) mkdirSync(path.join(t.runtime.workspace, name));
    held.inbox = t.slot(Inbox);
    const { reply } = await t.ask("go", inA);
    return reply.replaceAll(t.runtime.workspace, "WS");
  };
  expect(await run()).toContain("WS/a\\n");
  expect(await run("deep")).toContain("WS/a/deep\\n");
  expect(await run("../b")).toContain("which is not inside WS/a");
});
