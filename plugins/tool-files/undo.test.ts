import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { ChatCommands, type ChatCommandRun, Commands, type CommandContext } from "@gantry/sdk";
import { startTestHost, type TestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import sandbox from "../sandbox-landlock/index.ts";
import files from "./index.ts";

const plugins = [sandbox, files];

/** Runs `gantry undo` and gives what it prints, or its error's code. */
async function undo(
  t: TestHost,
  options: CommandContext["options"] = {},
  args: readonly string[] = [],
): Promise<string> {
  const said: string[] = [];
  const run: CommandContext = {
    args,
    options,
    out: (line) => void said.push(line),
    err: () => {},
    interactive: false,
    signal: new AbortController().signal,
    serve: async () => 0,
  };
  try {
    await t.slot(Commands).get("undo")!.run(run);
    return said.join("\n");
  } catch (error) {
    return (error as { code: string }).code;
  }
}

test("AGT-08: undo puts back what file_write and file_edit changed, the last change first, and records it", async () => {
  await using t = await startTestHost({ plugins });
  expect(await undo(t, { list: true })).toBe("There is no change of a tool to take back.");
  expect(await undo(t, { list: true, json: true })).toBe("[]");
  const file = path.join(t.runtime.workspace, "a/file");
  await t.call("file_write", { path: "a/file", content: "one\n" });
  await t.call("file_write", { path: "a/file", content: "two\n" });
  await t.call("file_edit", { path: "a/file", old: "two", new: "three" });
  const list = await undo(t, { list: true });
  expect(list.split("\n").map((line) => line.replace(/ at \S+ in .*/, ""))).toEqual([
    `${file}, changed by file_edit`,
    `${file}, changed by file_write`,
    `${file}, created by file_write`,
  ]);
  const seen: (string | undefined)[] = [];
  for (let i = 0; i < 3; i++) {
    expect(await undo(t)).toContain(`Undone: ${file}`);
    seen.push(existsSync(file) ? readFileSync(file, "utf8") : undefined);
  }
  expect(seen).toEqual(["two\n", "one\n", undefined]);
  expect(await undo(t)).toBe("UNDO_NOTHING");
  const [record] = t.audit.filter(({ tool }) => tool === "undo");
  expect(record).toMatchObject({
    event_type: "tool_call",
    result: "allowed",
    session_id: "test",
    args: { path: file, changed_by: "file_edit" },
  });
});

test("AGT-08: undo leaves a file that was changed since as it is, says so, and can go on with another file", async () => {
  await using t = await startTestHost({ plugins });
  const at = (name: string): string => path.join(t.runtime.workspace, name);
  await t.call("file_write", { path: "one", content: "1" });
  await t.call("file_write", { path: "two", content: "2" });
  writeFileSync(at("two"), "by hand");
  expect(await undo(t)).toBe("UNDO_CHANGED");
  expect(readFileSync(at("two"), "utf8")).toBe("by hand");
  expect(t.audit.filter(({ tool }) => tool === "undo").map(({ result }) => result)).toEqual([
    "allowed",
    "failed: UNDO_CHANGED",
  ]);
  expect(await undo(t, { list: true }, ["one"])).toContain(`${at("one")}, created by file_write`);
  expect(await undo(t, {}, [at("one")])).toContain("Undone");
  expect(readdirSync(t.runtime.workspace)).toEqual(["two"]);
});

test("AGT-08: each conversation has its own last change", async () => {
  await using t = await startTestHost({ plugins });
  await t.call("file_write", { path: "one", content: "1" }, { session: "a" });
  await t.call("file_write", { path: "two", content: "2" }, { session: "b" });
  expect(await undo(t, { session: "c" })).toBe("UNDO_NOTHING");
  const [change] = JSON.parse(await undo(t, { session: "a", list: true, json: true })) as { path: string }[];
  expect(change!.path).toBe(path.join(t.runtime.workspace, "one"));
  expect(JSON.parse(await undo(t, { session: "a", json: true }))).toMatchObject({ session: "a" });
  expect(readdirSync(t.runtime.workspace)).toEqual(["two"]);
});

test("SEC-05: undo writes behind the walls: a folder that is a link by then leads nowhere", async () => {
  await using t = await startTestHost({ plugins });
  const at = (name: string): string => path.join(t.runtime.workspace, name);
  await t.call("file_write", { path: "folder/file", content: "new" });
  mkdirSync(path.join(t.configDir, "elsewhere"));
  writeFileSync(path.join(t.configDir, "elsewhere/file"), "new");
  renameSync(at("folder"), at("moved"));
  symlinkSync(path.join(t.configDir, "elsewhere"), at("folder"));
  expect(await undo(t)).toMatch(/UNDO_ELSEWHERE|UNDO_CHANGED/);
  expect(readFileSync(path.join(t.configDir, "elsewhere/file"), "utf8")).toBe("new");
});

function large(sign: string): string {
  return sign.repeat(400_000);
}

test("AGT-08: what is kept is closed to others, bounded, and nothing where undo_max_mb is 0", async () => {
  await using t = await startTestHost({ plugins, config: { tools: { undo_max_mb: 1 } } });
  const folder = path.join(t.configDir, "undo");
  for (const sign of ["a", "b", "c", "d", "e"])
    await t.call("file_write", { path: "file", content: large(sign) });
  const kept = readdirSync(folder);
  expect(kept.reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0)).toBeLessThan(1_048_576);
  expect(kept.length).toBe(2);
  expect([statSync(folder), statSync(path.join(folder, kept[0]!))].map(({ mode }) => mode & 0o777)).toEqual([
    0o700, 0o600,
  ]);
  await undo(t);
  expect(readFileSync(path.join(t.runtime.workspace, "file"), "utf8")).toBe(large("d"));

  writeFileSync(path.join(t.runtime.workspace, "file"), "x".repeat(2_000_000));
  await t.call("file_write", { path: "file", content: "small" });
  expect([await undo(t), await undo(t)]).toEqual(["UNDO_NOT_KEPT", "UNDO_CHANGED"]);

  await using off = await startTestHost({ plugins, config: { tools: { undo_max_mb: 0 } } });
  await off.call("file_write", { path: "file", content: "x" });
  expect([await undo(off), existsSync(path.join(off.configDir, "undo"))]).toEqual(["UNDO_NOTHING", false]);
});

test("AGT-08: a change that cannot be kept is made nevertheless, and the model is told", async () => {
  await using t = await startTestHost({ plugins });
  writeFileSync(path.join(t.configDir, "undo"), "in the way");
  const { text } = await t.call("file_write", { path: "file", content: "x" });
  expect(text).toContain("Wrote 1 byte to file. What stood there before could not be kept for an undo (");
});

test("AGT-08: /undo takes back the last change of its own conversation, and tells why it does not", async () => {
  await using t = await startTestHost({ plugins });
  await t.call("file_write", { path: "one", content: "1" }, { session: "a" });
  await t.call("file_write", { path: "two", content: "2" }, { session: "b" });
  const command = t.slot(ChatCommands).get("undo")!;
  const said = (session: string) =>
    command.run({ user: "chatapp:+1", conversation: { session } } as ChatCommandRun);
  expect(command.trust).toBe("owner");
  expect(await said("a")).toBe(`Undone: what file_write did to ${path.join(t.runtime.workspace, "one")}.`);
  expect(await said("a")).toContain("no change of a tool to take back");
  expect(await said("a")).toContain("`gantry runs undo`");
  expect(readdirSync(t.runtime.workspace)).toEqual(["two"]);
  expect(t.audit.find(({ tool }) => tool === "undo")).toMatchObject({ user: "chatapp:+1", session_id: "a" });
});
