import { methods } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { modelThat, startEditor } from "./editor.test-kit.ts";
import { fitted, odd, schemaOf, wrongFrames } from "./schema.test-kit.ts";

const version1 = schemaOf("v1");
const { methodsOf, samplesOf, wrongBy } = version1;
const requests = methodsOf("agent", /Request$/);
const responses = methodsOf("agent", /Response$/);

/** Methods that are not offered, so that no editor that has read the capabilities asks for them. */
const notOffered = ["authenticate", "logout", "session/delete", "session/set_config_option"];

test("ACP-01: the schema names each request that an editor may send, and samples of it are valid", () => {
  expect(requests.size).toBeGreaterThan(11);
  expect([...requests.keys()].toSorted()).toEqual([...responses.keys()].toSorted());
  expect(samplesOf("PromptRequest").length).toBeGreaterThan(5);
});

test.each([...requests])(
  "ACP-01: every %s of the schema is answered as the schema has it",
  async (method, name) => {
    await using model = await modelThat(() => "ok");
    await using editor = await startEditor({ model });
    const session = await editor.open("a");
    await editor.say(session, "hi");
    const samples = samplesOf(name).filter((sample) => wrongBy(name, sample).length === 0);
    expect(samples.length).toBeGreaterThan(0);
    const codes: unknown[] = [];
    for (const sample of samples) {
      const used = method === "session/close" ? await editor.open("a") : session;
      const given = fitted(sample, used, `${editor.code}/a`);
      const done = editor.cx.request(method, given);
      codes.push(
        await done.then(
          () => "result",
          (error: { code: unknown }) => error.code,
        ),
      );
    }
    const isOffered = !notOffered.includes(method);
    expect(codes.includes("result")).toBe(isOffered);
    expect(codes.includes(-32601)).toBe(!isOffered);
    expect(await editor.say(session, "hi")).toEqual({ stopReason: "end_turn" });
    expect(wrongFrames(version1, editor)).toEqual([]);
  },
);

test.each([...requests])(
  "ACP-01: one %s that lacks or mistakes a member ends nothing",
  async (method, name) => {
    await using model = await modelThat(() => "ok");
    await using editor = await startEditor({ model });
    const session = await editor.open("a");
    const [sample] = samplesOf(name).filter((one) => wrongBy(name, one).length === 0);
    const given = fitted(sample, session, editor.code) as Record<string, unknown>;
    const broken = Object.keys(given).flatMap((key) => {
      const { [key]: _, ...without } = given;
      return [without, ...odd.map((value) => ({ ...given, [key]: value }))];
    });
    for (const params of [...odd, ...broken]) {
      const isAnswered = editor.cx.request(method, params).then(
        () => true,
        ({ code }: { code?: unknown }) => typeof code === "number",
      );
      expect([params, await isAnswered]).toEqual([params, true]);
    }
    const next = await editor.open("b");
    expect(await editor.say(next, "hi")).toEqual({ stopReason: "end_turn" });
    expect(wrongFrames(version1, editor)).toEqual([]);
  },
);

test("ACP-01: a cancel of anything, in any form, ends nothing that it does not name", async () => {
  await using model = await modelThat((said) => (said.includes("wait") ? "nothing yet" : "ok"));
  await using editor = await startEditor({ model });
  const session = await editor.open("a");
  const turn = editor.say(session, "wait");
  await expect.poll(() => editor.answer(session)).toBe("Well, ");
  for (const value of odd) {
    await editor.cx.notify(methods.agent.session.cancel, { sessionId: value as never });
    await editor.cx.notify("$/cancel_request", { requestId: value });
    await editor.cx.notify("session/unheard-of", value);
  }
  expect(await Promise.race([turn, editor.say(await editor.open("b"), "hi")])).toEqual({
    stopReason: "end_turn",
  });
  await editor.cx.notify(methods.agent.session.cancel, { sessionId: session });
  expect(await turn).toEqual({ stopReason: "cancelled" });
  expect(wrongFrames(version1, editor)).toEqual([]);
});

test.runIf(process.platform === "linux")(
  "ACP-01: what an editor is told and asked of calls, questions and forms is as the schema has it",
  async () => {
    const calls = [
      { tool: "file_write", args: { path: "x", content: "new" } },
      { tool: "shell", args: { command: "echo hello; exit 3" } },
      { tool: "file_read", args: { path: "../x" } },
      { tool: "no_such_tool", args: {} },
      { tool: "file_list", args: {} },
    ];
    await using model = await modelThat(() => calls.shift() ?? "ok");
    await using editor = await startEditor({
      model,
      decide: ({ toolCall }) => (toolCall.kind === "execute" ? "deny" : "allow"),
    });
    const session = await editor.open("a");
    for (let i = 0; i < 5; i += 1) await editor.say(session, "go");
    await editor.say(session, "/new");
    const load = { sessionId: session, cwd: `${editor.code}/a`, mcpServers: [] };
    await editor.cx.request(methods.agent.session.load, load);
    expect(editor.asked.length).toBe(2);
    expect(wrongFrames(version1, editor)).toEqual([]);
  },
);
