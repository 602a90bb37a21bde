import path from "node:path";
import { methods } from "@agentclientprotocol/sdk/experimental/v2";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tempDir } from "../../test/helpers/cli.ts";
import { chunk } from "../../test/helpers/model.ts";
import { serveModel, stream } from "../../test/helpers/model-server.ts";
import { programs } from "../../test/helpers/programs.ts";
import { modelThat, startEditor } from "./editor.test-kit.ts";
import { startAgent } from "./agent-process.test-kit.ts";
import { fitted, framesOf, odd, schemaOf, wrongFrames } from "./schema.test-kit.ts";
import { startEditor2 } from "./version-2.test-kit.ts";
import { updateIn2 } from "./version-2-updates.ts";

const git = programs("git");
const linux = process.platform === "linux";
const version2 = schemaOf("v2");
const { initialize, ...requests } = Object.fromEntries(version2.methodsOf("agent", /Request$/));

/** Methods that are not offered, so that no editor that has read the capabilities asks for them. */
const notOffered = ["auth/login", "auth/logout", "session/delete", "terminal/cancel", "tool_call/cancel"];

test("ACP-01: without acp.preview an editor that asks for version 2 is answered in version 1", async () => {
  await using model = await modelThat(() => "hello");
  await using editor = await startEditor({ model });
  const info = { protocolVersion: 2, clientCapabilities: {} };
  expect(await editor.cx.request(methods.agent.initialize as "initialize", info)).toMatchObject({
    protocolVersion: 1,
  });
});

test("ACP-01: with acp.preview an editor of version 1 is answered in version 1", async () => {
  await using model = await modelThat(() => "hello");
  await using editor = await startEditor({ model, toml: "[acp]\npreview = true" });
  const session = await editor.open("a");
  expect(await editor.say(session, "hi")).toEqual({ stopReason: "end_turn" });
  expect(editor.answer(session)).toBe("hello");
});

test("ACP-01: a prompt of version 2 is acknowledged by its id, and states tell its end", async () => {
  await using model = await modelThat(() => "hello");
  await using editor = await startEditor2({ model });
  const session = await editor.open("a");
  const messageId = await editor.send(session, "hi");
  await editor.idle(session);
  expect(editor.told(session)).toContainEqual({
    sessionUpdate: "user_message",
    messageId,
    content: [{ type: "text", text: "hi" }],
  });
  expect(editor.answer(session)).toBe("hello");
  expect(editor.states(session)).toEqual(["running", "idle: end_turn"]);
  expect(wrongFrames(version2, editor)).toEqual([]);
});

test("ACP-01: an editor of either version is told what the model thinks, apart from its answer", async () => {
  await using model = await serveModel((_, response) => {
    const pieces = [{ reasoning_content: "Let me " }, { reasoning_content: "see." }, { content: "yes" }];
    stream(response, [...pieces.map((delta) => chunk(delta)), chunk({}, "stop"), "data: [DONE]\n\n"]);
  });
  await using first = await startEditor({ model });
  const session = await first.open("a");
  await first.say(session, "hi");
  await using second = await startEditor2({ model });
  const other = await second.open("a");
  await second.send(other, "hi");
  await second.idle(other);
  for (const updates of [first.updates.map(({ update }) => update), second.told(other)]) {
    const thoughts = updates.filter(({ sessionUpdate }) => sessionUpdate === "agent_thought_chunk");
    expect(thoughts.map((one: any) => one.content.text).join("")).toBe("Let me see.");
    expect(new Set(thoughts.map((one: any) => one.messageId)).size).toBe(1);
  }
  expect([first.answer(session), second.answer(other)]).toEqual(["yes", "yes"]);
  expect(wrongFrames(version2, second)).toEqual([]);
});

test.runIf(linux)("ACP-01: version 2 waits by requires_action, and the yes lets the call run", async () => {
  const says = { tool: "file_write", args: { path: "x", content: "new\n" } };
  await using model = await modelThat(() => says);
  await using editor = await startEditor2({ model, decide: () => "allow" });
  const session = await editor.open("a");
  await editor.send(session, "write");
  await editor.idle(session);
  expect(editor.states(session)).toEqual(["running", "requires_action", "running", "idle: end_turn"]);
  const file = path.join(editor.code, "a/x");
  expect(editor.asked).toMatchObject([
    { title: "file_write: `x`", subject: { type: "tool_call", toolCall: { status: "pending" } } },
  ]);
  const changes = [{ operation: "add", path: file, fileType: "text" }];
  expect(JSON.stringify(editor.told(session))).toContain(JSON.stringify(changes));
  expect(readFileSync(file, "utf8")).toBe("new\n");
  expect(wrongFrames(version2, editor)).toEqual([]);
});

test.runIf(linux)("ACP-01: version 2 lets nothing run by an answer that was not offered", async () => {
  const says = { tool: "file_write", args: { path: "x", content: "new" } };
  await using model = await modelThat(() => says);
  await using editor = await startEditor2({ model, decide: () => "allow_always" });
  const session = await editor.open("a");
  await editor.send(session, "write");
  await editor.idle(session);
  expect(editor.asked).toHaveLength(1);
  expect(existsSync(path.join(editor.code, "a/x"))).toBe(false);
});

test("ACP-01: a cancel of version 2 ends what runs and withdraws what is held", async () => {
  await using model = await modelThat(() => "nothing yet");
  await using editor = await startEditor2({ model });
  const session = await editor.open("a");
  await editor.send(session, "wait");
  const held = editor.send(session, "and then").catch(({ code }: { code: unknown }) => code);
  await expect.poll(() => editor.answer(session)).toBe("Well, ");
  await editor.cx.notify(methods.agent.session.cancel, { sessionId: session });
  expect(await held).toBe(-32800);
  await editor.idle(session);
  expect(editor.states(session)).toEqual(["running", "idle: cancelled"]);
  expect(wrongFrames(version2, editor)).toEqual([]);
});

test("ACP-01: a turn of version 2 that fails ends as an error with its code", async () => {
  const model = await modelThat(() => "never");
  await using editor = await startEditor2({ model });
  await model[Symbol.asyncDispose]();
  const session = await editor.open("a");
  await editor.send(session, "hi");
  await editor.idle(session);
  const last = editor.told(session).findLast(({ sessionUpdate }) => sessionUpdate === "state_update");
  expect(last).toMatchObject({ state: "idle", stopReason: "error", error: { data: { code: /^PROVIDER_/ } } });
  expect(wrongFrames(version2, editor)).toEqual([]);
});

test("ACP-01: version 2 resumes with the past or without it, and tells the state in any case", async () => {
  await using model = await modelThat(() => "hello");
  await using editor = await startEditor2({ model });
  const sessionId = await editor.open("a");
  await editor.send(sessionId, "hi");
  await editor.idle(sessionId);
  const cwd = editor.folder("a");
  const before = editor.told(sessionId).length;
  await editor.cx.request(methods.agent.session.resume, { sessionId, cwd });
  expect(editor.told(sessionId).slice(before)).toEqual([{ sessionUpdate: "state_update", state: "idle" }]);
  const replayFrom = { type: "start" } as const;
  await editor.cx.request(methods.agent.session.resume, { sessionId, cwd, replayFrom });
  const replayed = editor.told(sessionId).slice(before + 1);
  expect(replayed.map(({ sessionUpdate }) => sessionUpdate).filter((name) => !/commands/.test(name))).toEqual(
    ["user_message_chunk", "agent_message_chunk", "state_update"],
  );
  const odder = { type: "_here" } as never;
  const refused = editor.cx.request(methods.agent.session.resume, { sessionId, cwd, replayFrom: odder });
  await expect(refused).rejects.toMatchObject({ code: -32602 });
  expect(wrongFrames(version2, editor)).toEqual([]);
});

test("ACP-01: the mode of version 2 is an option, and never wider than the configured level", async () => {
  await using model = await modelThat(() => "hello");
  await using editor = await startEditor2({ model });
  const sessionId = await editor.open("a");
  const set = (configId: string, value: string): Promise<unknown> =>
    editor.cx.request(methods.agent.session.setConfigOption, { sessionId, configId, type: "id", value });
  expect(await set("mode", "supervised")).toMatchObject({ configOptions: [{ currentValue: "supervised" }] });
  await expect(set("mode", "autonomous")).rejects.toMatchObject({ data: { code: "ACP_MODE_UNKNOWN" } });
  await expect(set("model", "x")).rejects.toMatchObject({ data: { code: "ACP_OPTION_UNKNOWN" } });
});

test("ACP-01: closing a session of version 2 tells the end of its turn before the answer", async () => {
  await using model = await modelThat(() => "nothing yet");
  await using editor = await startEditor2({ model });
  const sessionId = await editor.open("a");
  await editor.send(sessionId, "wait");
  await editor.cx.request(methods.agent.session.close, { sessionId });
  expect(editor.states(sessionId)).toEqual(["running", "idle: cancelled"]);
  expect(await editor.cx.request(methods.agent.session.close, { sessionId })).toEqual({});
});

test("ACP-01: MCP servers of an editor of version 2 are refused, since none are offered", async () => {
  await using model = await modelThat(() => "hello");
  await using editor = await startEditor2({ model });
  const mcpServers = [{ type: "stdio" as const, name: "x", command: "/bin/touch", args: ["y"], env: [] }];
  const opened = editor.cx.request(methods.agent.session.new, { cwd: editor.folder("a"), mcpServers });
  await expect(opened).rejects.toMatchObject({ code: -32602, data: { type: "stdio" } });
});

test("ACP-01: every initialize of version 2, whole or broken, is answered as its schema has it", async () => {
  await using model = await modelThat(() => "ok");
  await using agent = startAgent({ model, toml: "[acp]\npreview = true" });
  const samples = version2.samplesOf(initialize!) as object[];
  const all = samples.map((sample) => ({ ...sample, protocolVersion: 2 }));
  const broken = odd.flatMap((value) =>
    ["protocolVersion", "info", "capabilities"].map((key) => ({ ...all[0], [key]: value })),
  );
  for (const [id, params] of [...all, ...odd, ...broken].entries()) {
    const frame = { jsonrpc: "2.0", id, method: "initialize", params };
    agent.child.stdin?.write(`${JSON.stringify(frame)}\n`);
  }
  const count = all.length + odd.length + broken.length;
  await expect.poll(() => framesOf(agent.out()).length, { timeout: 10_000 }).toBe(count);
  const answers = framesOf(agent.out());
  expect(answers.filter(({ result }) => result?.protocolVersion === 2).length).toBeGreaterThan(
    all.length / 2,
  );
  const asked = [...Array(count).keys()].map((id) => `${JSON.stringify({ id, method: "initialize" })}\n`);
  expect(wrongFrames(version2, { sent: () => asked.join(""), out: agent.out })).toEqual([]);
});

test.each(Object.entries(requests))(
  "ACP-01: every %s of version 2, whole or broken, is answered as its schema has it",
  async (method, name) => {
    await using model = await modelThat(() => "ok");
    await using editor = await startEditor2({ model });
    const session = await editor.open("a");
    const samples = version2.samplesOf(name).filter((one) => version2.wrongBy(name, one).length === 0);
    const codes: unknown[] = [];
    const ask = async (params: unknown): Promise<unknown> =>
      editor.cx.request(method as never, params as never).then(
        () => "result",
        (error: { code: unknown }) => error.code,
      );
    for (const sample of samples) {
      const used = method === "session/close" ? await editor.open("a") : session;
      codes.push(await ask(fitted(sample, used, editor.folder("a"))));
    }
    expect(codes.includes("result")).toBe(!notOffered.includes(method));
    const given = fitted(samples[0], session, editor.folder("a")) as Record<string, unknown>;
    for (const key of Object.keys(given))
      for (const value of odd)
        expect(typeof (await ask({ ...given, [key]: value }))).toMatch(/number|string/);
    const next = await editor.open("b");
    await editor.send(next, "hi");
    await editor.idle(next);
    expect(editor.answer(next)).toBe("ok");
    expect(wrongFrames(version2, editor)).toEqual([]);
  },
);

test.runIf(git.here)("ACP-01: git applies the patch of any change that version 2 tells", () => {
  using home = tempDir();
  const file = path.join(home.dir, "x");
  const line = fc.constantFrom("a", "b", "", "+c", "\\d", " e");
  const text = fc
    .tuple(fc.array(line, { maxLength: 12 }), fc.boolean())
    .map(([lines, ends]) => lines.join("\n") + (ends && lines.length > 0 ? "\n" : ""));
  fc.assert(
    fc.property(fc.option(text), text, (oldText, newText) => {
      fc.pre(oldText !== newText && !(oldText === null && newText === ""));
      const content = [{ type: "diff" as const, path: "/x", oldText, newText }];
      const told = updateIn2({ sessionUpdate: "tool_call_update", toolCallId: "c", content });
      const [diff] = (told as { content: { patch: { text: string } }[] }).content;
      rmSync(file, { force: true });
      if (oldText !== null) writeFileSync(file, oldText);
      const applied = spawnSync("git", ["apply", "--whitespace=nowarn", "-"], {
        cwd: home.dir,
        input: diff!.patch.text,
        encoding: "utf8",
      });
      expect([applied.stderr, readFileSync(file, "utf8")]).toEqual(["", newText]);
    }),
    { numRuns: 60 },
  );
});
