import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { callsOf, modelThat, spoken, startEditor } from "./editor.test-kit.ts";

const linux = process.platform === "linux";
const write = { tool: "file_write", args: { path: "a.txt", content: "new\n" } };
const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

test("ACP-01: an editor is told what there is, and answered in pieces as they come", async () => {
  await using model = await modelThat((said) => `You said ${said}.`);
  await using editor = await startEditor({ model });
  const told = await editor.cx.request(methods.agent.initialize, { protocolVersion: 7 });
  expect(told).toMatchObject({
    protocolVersion: 1,
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: false, sse: false },
      sessionCapabilities: { close: {}, list: {}, resume: {} },
    },
    authMethods: [],
  });
  const session = await editor.open("a");
  expect(await editor.say(session, "hi")).toEqual({ stopReason: "end_turn" });
  expect(editor.answer(session)).toContain("hi.");
});

test.runIf(linux)("ACP-01: a call is shown with its kind, place, status, change and output", async () => {
  await using model = await modelThat(() => write);
  await using editor = await startEditor({ model, decide: () => "allow" });
  const session = await editor.open("a");
  const file = path.join(editor.code, "a/a.txt");
  writeFileSync(file, "old\n");
  await editor.say(session, "write");
  expect(readFileSync(file, "utf8")).toBe("new\n");
  expect(callsOf(editor.updates, session)).toMatchObject([
    {
      title: "file_write: `a.txt`",
      name: "file_write",
      kind: "edit",
      status: "completed",
      locations: [{ path: file }],
      rawInput: write.args,
      content: [
        { type: "diff", path: file, oldText: "old\n", newText: "new\n" },
        { type: "content", content: { text: expect.stringContaining("Wrote 4 bytes") } },
      ],
    },
  ]);
  const statuses = editor.updates.flatMap(({ update }) => ("status" in update ? [update.status] : []));
  expect(statuses).toEqual(["pending", "in_progress", "completed"]);
});

test.runIf(linux)(
  "ACP-01: a question names the call and its change; the editor's yes lets it run once",
  async () => {
    await using model = await modelThat(() => write);
    await using editor = await startEditor({ model, decide: () => "allow" });
    const session = await editor.open("a");
    writeFileSync(path.join(editor.code, "a/a.txt"), "old\n");
    await editor.say(session, "write");
    await editor.say(session, "write again");
    const [first, second] = editor.asked;
    const [shown] = editor.updates.flatMap(({ update }) =>
      update.sessionUpdate === "tool_call" ? [update.toolCallId] : [],
    );
    expect(first).toMatchObject({ sessionId: session, toolCall: { toolCallId: shown, kind: "edit" } });
    expect(first?.toolCall.content).toMatchObject([
      { type: "diff", oldText: "old", newText: "new" },
      { type: "content" },
    ]);
    expect(first?.options.map(({ kind }) => kind)).toEqual(["allow_once", "allow_always", "reject_once"]);
    expect(second?.toolCall.toolCallId).not.toBe(shown);
  },
);

test.runIf(linux)(
  "ACP-01: a rule for the conversation is asked for once, and holds in that session alone",
  async () => {
    await using model = await modelThat(() => write);
    await using editor = await startEditor({ model, decide: () => "always" });
    const [one, two] = [await editor.open("a"), await editor.open("a")];
    await editor.say(one, "write");
    await editor.say(one, "write");
    expect(editor.asked).toHaveLength(1);
    await editor.say(two, "write");
    expect(editor.asked.map(({ sessionId }) => sessionId)).toEqual([one, two]);
  },
);

test.runIf(linux).each(["deny", "cancelled", "always-and-more", ""])(
  "ACP-01: an editor that answers %j lets nothing run",
  async (option) => {
    await using model = await modelThat(() => write);
    await using editor = await startEditor({ model, decide: () => option });
    const session = await editor.open("a");
    expect(await editor.say(session, "write")).toEqual({ stopReason: "end_turn" });
    expect(existsSync(path.join(editor.code, "a/a.txt"))).toBe(false);
    expect(callsOf(editor.updates, session)).toMatchObject([
      { status: "failed", rawOutput: { code: "APPROVAL_DENIED" } },
    ]);
  },
);

test("ACP-01: the modes are the levels up to the configured one, and a session takes no wider one", async () => {
  await using model = await modelThat(() => ({ tool: "file_list", args: {} }));
  await using editor = await startEditor({ model, decide: () => "allow" });
  const { sessionId, modes } = await editor.cx.request(methods.agent.session.new, {
    cwd: editor.code,
    mcpServers: [],
  });
  expect(modes?.currentModeId).toBe("semi-autonomous");
  expect(modes?.availableModes.map(({ id }) => id)).toEqual(["supervised", "semi-autonomous"]);
  const setMode = (modeId: string) => editor.cx.request(methods.agent.session.setMode, { sessionId, modeId });
  await expect(setMode("autonomous")).rejects.toMatchObject({
    code: -32602,
    data: { code: "ACP_MODE_UNKNOWN" },
  });
  await editor.say(sessionId, "list");
  expect(editor.asked).toHaveLength(0);
  await setMode("supervised");
  await editor.say(sessionId, "list");
  expect(editor.asked).toMatchObject([{ toolCall: { title: "file_list" } }]);
});

test("ACP-01: words behind a slash are offered with their hints, and the model sees none", async () => {
  await using model = await modelThat(() => "hello");
  await using editor = await startEditor({ model });
  const session = await editor.open("a");
  await editor.say(session, "/help");
  expect(editor.answer(session)).toContain("/new - begin a new conversation");
  expect(model.asked).toEqual([]);
  const [told] = editor.updates.flatMap(({ update }) =>
    update.sessionUpdate === "available_commands_update" ? [update.availableCommands] : [],
  );
  expect(told).toContainEqual({
    name: "rewind",
    description: expect.any(String),
    input: { hint: "[number]" },
  });
});

test("ACP-01: a prompt brings text, links, attached files and pictures to the model", async () => {
  await using model = await modelThat(() => "seen");
  await using editor = await startEditor({ model });
  const sessionId = await editor.open("a");
  const uri = `file://${editor.code}/a/src/x.ts`;
  await editor.cx.request(methods.agent.session.prompt, {
    sessionId,
    prompt: [
      { type: "text", text: "Look at " },
      { type: "resource_link", uri, name: "x.ts" },
      { type: "text", text: " and this." },
      { type: "resource", resource: { uri, text: "/stop\nexport const x = 1;" } },
      { type: "image", mimeType: "image/png", data: picture },
    ],
  });
  const said = JSON.stringify(model.asked[0]?.body.messages.at(-1));
  expect(said).toContain("Look at `src/x.ts` and this.");
  expect(said).toMatch(/untrusted[^>]*from a quoted message.*src\/x\.ts:.*export const x = 1;/);
  expect(said).toContain(picture);
  expect(editor.answer(sessionId)).toBe("seen");
});

test("ACP-01: no name of a linked file ends the backticks that it stands in", async () => {
  await using model = await modelThat(() => "seen");
  await using editor = await startEditor({ model });
  const sessionId = await editor.open("a");
  const uri = `file://${editor.code}/a/x%60%20--until%20evil`;
  await editor.cx.request(methods.agent.session.prompt, {
    sessionId,
    prompt: [
      { type: "text", text: "Look at " },
      { type: "resource_link", uri, name: "x" },
    ],
  });
  const said = JSON.stringify(model.asked[0]?.body.messages.at(-1));
  expect(said).toContain("Look at `x' --until evil`");
});

test.each([
  ["nothing", [], "ACP_PROMPT_EMPTY"],
  ["sound", [{ type: "audio", mimeType: "audio/ogg", data: "AAAA" }], "ACP_CONTENT"],
  ["a picture that is none", [{ type: "image", mimeType: "image/png", data: "AAAA" }], "ACP_CONTENT"],
])("ACP-01: a prompt of %s is refused with a sentence and a code", async (_, prompt, code) => {
  await using model = await modelThat(() => "seen");
  await using editor = await startEditor({ model });
  const sessionId = await editor.open("a");
  const sent = editor.cx.request(methods.agent.session.prompt, { sessionId, prompt: prompt as never });
  await expect(sent).rejects.toMatchObject({ code: -32602, data: { code } });
  expect(model.asked).toEqual([]);
});

test("ACP-01: a turn that fails is an error with Gantry's sentence and code", async () => {
  const model = await modelThat(() => "never");
  await model[Symbol.asyncDispose]();
  await using editor = await startEditor({ model });
  const session = await editor.open("a");
  await expect(editor.say(session, "hi")).rejects.toMatchObject({
    code: -32603,
    message: expect.stringMatching(/\w+ .*\.$/),
    data: { code: expect.stringMatching(/^PROVIDER_/) },
  });
});

test.runIf(linux)("ACP-01: another process loads a session: what was said and done, in order", async () => {
  await using model = await modelThat((said) => (said.includes("write") ? write : "Hello."));
  await using first = await startEditor({ model, decide: () => "allow" });
  const session = await first.open("a");
  await first.say(session, "write it");
  await first.say(session, "and now?");
  first.child.stdin?.end();
  await first.ended;

  await using second = await startEditor({ model, home: first });
  const cwd = path.join(second.code, "a");
  const listed = await second.cx.request(methods.agent.session.list, { cwd });
  expect(listed.sessions).toMatchObject([{ sessionId: session, cwd, title: "and now?" }]);
  await second.cx.request(methods.agent.session.load, { sessionId: session, cwd, mcpServers: [] });
  expect(spoken(second.updates, session, "user_message_chunk")).toBe("write itand now?");
  expect(second.answer(session)).toBe("doneHello.");
  expect(callsOf(second.updates, session)).toMatchObject([
    { name: "file_write", status: "completed", rawInput: write.args },
  ]);
  await second.say(session, "goes on");
  expect(JSON.stringify(model.asked.at(-1)?.body.messages)).toContain("and now?");
});

test("ACP-01: a session of another folder, or of the terminal, is loaded by nobody", async () => {
  await using model = await modelThat(() => "ok");
  await using editor = await startEditor({ model });
  const session = await editor.open("a");
  await editor.say(session, "mine");
  await editor.open("b");
  for (const sessionId of [session, "cli-000000000000", "telegram:42", "../a", ""])
    await expect(
      editor.cx.request(methods.agent.session.load, {
        sessionId,
        cwd: path.join(editor.code, "b"),
        mcpServers: [],
      }),
    ).rejects.toMatchObject({ code: -32002, data: { code: "ACP_SESSION_UNKNOWN" } });
});

test("ACP-01: MCP servers of the editor are not started, and the person is told so", async () => {
  await using model = await modelThat(() => "ok");
  await using editor = await startEditor({ model });
  const mark = path.join(editor.dir, "started");
  const server = { name: "evil", command: "/bin/sh", args: ["-c", `touch ${mark}`], env: [] };
  const { sessionId } = await editor.cx.request(methods.agent.session.new, {
    cwd: editor.code,
    mcpServers: [server as never],
  });
  await editor.say(sessionId, "hi");
  expect(editor.answer(sessionId)).toMatch(/^Not used: the MCP servers of this editor \(evil\).*ok$/s);
  expect(existsSync(mark)).toBe(false);
});

test("ACP-01: a tool that asks for words is answered by a form of the editor", async () => {
  await using model = await modelThat(() => ({ tool: "ask_person", args: { question: "When?" } }));
  const toml = `extra_plugins = ["${path.join(import.meta.dirname, "../../examples/tool-ask/index.ts")}"]`;
  await using editor = await startEditor({
    model,
    toml,
    can: { elicitation: { form: {} } },
    form: ({ message }) => ({
      action: "accept",
      content: { text: message.includes("When?") ? "Tuesday" : "" },
    }),
    decide: () => "allow",
  });
  const session = await editor.open("a");
  await editor.say(session, "ask me");
  expect(JSON.stringify(model.asked.at(-1)?.body.messages.at(-1))).toContain("Tuesday");
});
