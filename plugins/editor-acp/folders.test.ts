import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { methods, type ListSessionsRequest } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { gantry, tempDir } from "../../test/helpers/cli.ts";
import { tomlOf } from "./agent-process.test-kit.ts";
import { callsOf, modelThat, startEditor, type Says, type TestEditor } from "./editor.test-kit.ts";

const linux = process.platform === "linux";

/** Says a call that is written as `tool {json}`, and else `ok`. */
function asTold(said: string): Says {
  const [, tool, args] = /(\w+) (\{.*\})\s*$/s.exec(said) ?? [];
  return tool === undefined ? "ok" : { tool, args: JSON.parse(args ?? "{}") };
}

/** Two sessions in two folders of one process, each folder with a file of its own. */
async function two(editor: TestEditor): Promise<readonly [string, string]> {
  const sessions = [await editor.open("a"), await editor.open("b")] as const;
  writeFileSync(path.join(editor.code, "a/own"), "of-a\n");
  writeFileSync(path.join(editor.code, "b/own"), "of-b\n");
  return sessions;
}

/** Returns what the agent was told of the last call in a session. */
function lastResult(editor: TestEditor, session: string): string {
  return JSON.stringify(callsOf(editor.updates, session).at(-1)?.["content"]);
}

test.runIf(linux)("ACP-01: tools of two sessions at once each work in their own folder alone", async () => {
  await using model = await modelThat(asTold);
  await using editor = await startEditor({ model, decide: () => "allow" });
  const [a, b] = await two(editor);
  const both = (call: string) => Promise.all([editor.say(a, call), editor.say(b, call)]);
  await both('file_read {"path":"own"}');
  expect([lastResult(editor, a), lastResult(editor, b)]).toEqual([
    expect.stringContaining("of-a"),
    expect.stringContaining("of-b"),
  ]);
  await both('shell {"command":"cat own $(echo ..)/*/own; echo made > made"}');
  expect(lastResult(editor, a)).not.toContain("of-b");
  expect(lastResult(editor, b)).not.toContain("of-a");
  expect(readFileSync(path.join(editor.code, "a/made"), "utf8")).toBe("made\n");
  await editor.say(a, `file_read ${JSON.stringify({ path: path.join(editor.code, "b/own") })}`);
  expect(callsOf(editor.updates, a).at(-1)).toMatchObject({
    status: "failed",
    rawOutput: { code: "PATH_OUTSIDE" },
  });
});

test.runIf(linux)("ACP-01: what is remembered in one folder is not known in another", async () => {
  await using model = await modelThat(asTold);
  await using editor = await startEditor({ model, decide: () => "allow" });
  const [a, b] = await two(editor);
  await editor.say(a, 'memory_store {"text":"the colour is teal"}');
  for (const session of [a, b]) await editor.say(session, 'memory_recall {"query":"colour"}');
  expect([lastResult(editor, a), lastResult(editor, b)]).toEqual([
    expect.stringContaining("teal"),
    expect.not.stringContaining("teal"),
  ]);
});

test.runIf(linux)("ACP-01: /undo of one session puts back nothing that the other has changed", async () => {
  await using model = await modelThat(asTold);
  await using editor = await startEditor({ model, decide: () => "allow" });
  const [a, b] = await two(editor);
  await editor.say(a, 'file_write {"path":"own","content":"changed"}');
  const own = path.join(editor.code, "a/own");
  await editor.say(b, "/undo");
  expect(readFileSync(own, "utf8")).toBe("changed");
  await editor.say(a, "/undo");
  expect(readFileSync(own, "utf8")).toBe("of-a\n");
});

test("ACP-01: /sessions and session/list of a folder name the conversations of that folder alone", async () => {
  await using model = await modelThat(asTold);
  await using editor = await startEditor({ model });
  const [a, b] = await two(editor);
  for (const session of [a, b]) await editor.say(session, "hi");
  const cwd = path.join(editor.code, "a");
  const list = async (asked: ListSessionsRequest) => {
    const { sessions } = await editor.cx.request(methods.agent.session.list, asked);
    return sessions.map(({ sessionId }) => sessionId);
  };
  expect(await list({ cwd })).toEqual([a]);
  expect((await list({})).toSorted()).toEqual([a, b].toSorted());
  await editor.say(b, "/sessions");
  expect(editor.answer(b)).not.toContain(a);
});

test("ACP-01: a list of more conversations than a page holds is read to its end", async () => {
  await using model = await modelThat(asTold);
  await using editor = await startEditor({ model });
  const opened = await Promise.all(Array.from({ length: 53 }, () => editor.open("a")));
  await Promise.all(opened.map((session) => editor.say(session, "hi")));
  const first = await editor.cx.request(methods.agent.session.list, {});
  const rest = await editor.cx.request(methods.agent.session.list, { cursor: first.nextCursor ?? "" });
  expect([first.sessions.length, rest.sessions.length, rest.nextCursor]).toEqual([50, 3, undefined]);
  const ids = [...first.sessions, ...rest.sessions].map(({ sessionId }) => sessionId);
  expect(ids.toSorted()).toEqual(opened.toSorted());
  const lost = editor.cx.request(methods.agent.session.list, { cursor: "nowhere" });
  await expect(lost).rejects.toMatchObject({ data: { code: "ACP_CURSOR" } });
});

test.each([
  ["the root", () => "/", "ACP_FOLDER"],
  ["a folder above", ({ code }: TestEditor) => path.dirname(code), "ACP_FOLDER"],
  ["a way up", ({ code }: TestEditor) => `${code}/a/../..`, "ACP_FOLDER"],
  ["a link that leads out", ({ code }: TestEditor) => `${code}/out`, "ACP_FOLDER"],
  ["the configuration", ({ dir }: TestEditor) => dir, "ACP_FOLDER"],
  ["what is not there outside", () => "/nowhere/at/all", "ACP_FOLDER"],
  ["what is not there", ({ code }: TestEditor) => `${code}/none`, "ACP_FOLDER_ABSENT"],
  ["a file", ({ code }: TestEditor) => `${code}/file`, "ACP_FOLDER_ABSENT"],
  ["a name", () => "a", "ACP_FOLDER_RELATIVE"],
  ["a folder beside that begins alike", ({ code }: TestEditor) => `${code}-more`, "ACP_FOLDER"],
])("ACP-01: no session is opened, loaded, resumed or listed in %s", async (_, where, code) => {
  await using model = await modelThat(asTold);
  await using editor = await startEditor({ model });
  symlinkSync("/usr", path.join(editor.code, "out"));
  writeFileSync(path.join(editor.code, "file"), "");
  const own = await editor.open("a");
  const cwd = where(editor);
  const { agent } = methods;
  const asked = { cwd, mcpServers: [], sessionId: own };
  const refusal = { code: -32602, message: expect.stringMatching(/\.$/), data: { code } };
  await expect(editor.cx.request(agent.session.new, { cwd, mcpServers: [] })).rejects.toMatchObject(refusal);
  await expect(editor.cx.request(agent.session.load, asked)).rejects.toMatchObject(refusal);
  await expect(editor.cx.request(agent.session.resume, asked)).rejects.toMatchObject(refusal);
  await expect(editor.cx.request(agent.session.list, { cwd })).rejects.toMatchObject(refusal);
});

test("ACP-01: a folder that becomes a link out after its session began is worked in no more", async () => {
  await using model = await modelThat(asTold);
  await using editor = await startEditor({ model });
  const session = await editor.open("a");
  await editor.say(session, "hi");
  rmSync(path.join(editor.code, "a"), { recursive: true });
  symlinkSync("/etc", path.join(editor.code, "a"));
  await expect(editor.say(session, 'file_read {"path":"hostname"}')).rejects.toMatchObject({
    data: { code: "WORKSPACE_OUTSIDE" },
  });
});

test("ACP-01: several folders of one session are refused, and nothing is opened", async () => {
  await using model = await modelThat(asTold);
  await using editor = await startEditor({ model });
  const more = { additionalDirectories: ["/etc"], cwd: editor.code, mcpServers: [] };
  await expect(editor.cx.request(methods.agent.session.new, more)).rejects.toMatchObject({
    data: { code: "ACP_ONE_FOLDER" },
  });
});

test("ACP-01: without -C the folders of the configured workspace are open, and no others", async () => {
  await using model = await modelThat(asTold);
  await using editor = await startEditor({ model, named: false });
  const session = await editor.open("project");
  await editor.say(session, "hi");
  expect(editor.answer(session)).toBe("ok");
  for (const cwd of [editor.dir, path.dirname(editor.dir)])
    await expect(editor.cx.request(methods.agent.session.new, { cwd, mcpServers: [] })).rejects.toMatchObject(
      { data: { code: "ACP_FOLDER" } },
    );
});

test("ACP-01: -C in a form that the start does not read ends the word, and serves no other folder", async () => {
  await using model = await modelThat(asTold);
  using home = tempDir(tomlOf(model));
  using code = tempDir();
  const { code: exit, out, err } = await gantry(["acp", `-C${code.dir}`], home);
  expect([exit, out]).toEqual([2, ""]);
  expect(err).toContain("[ACP_WORKSPACE]");
  expect(existsSync(path.join(code.dir, "workspace"))).toBe(false);
});
