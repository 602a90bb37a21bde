import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { randomBytes } from "node:crypto";
import { methods } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { modelThat, startEditor, type Says, type TestEditor } from "./editor.test-kit.ts";

const linux = process.platform === "linux";

/** True while a process runs whose command line holds `text`. */
function runs(text: string): boolean {
  return readdirSync("/proc").some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text);
    } catch {
      return false;
    }
  });
}

/** Every line of stdout, each of which must be a message of JSON-RPC. */
function frames(editor: TestEditor): readonly Record<string, unknown>[] {
  const text = editor.out();
  expect(text.endsWith("\n")).toBe(true);
  const all = text
    .slice(0, -1)
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(all.filter(({ jsonrpc }) => jsonrpc !== "2.0")).toEqual([]);
  return all;
}

const sleep = (mark: string): Says => ({ tool: "shell", args: { command: `sleep 600; : ${mark}` } });

test("ACP-01: stdout holds messages alone, also with --debug and with a plugin that prints", async () => {
  await using model = await modelThat(() => ({ tool: "file_list", args: {} }));
  const toml = `extra_plugins = ["${path.join(import.meta.dirname, "noisy.test-kit.js")}"]`;
  await using editor = await startEditor({ model, toml, args: ["--debug"], decide: () => "allow" });
  const session = await editor.open("a");
  await editor.say(session, "go");
  await expect(editor.say("acp-unknown", "go")).rejects.toMatchObject({ code: -32002 });
  await editor.say(session, "/help");
  expect(frames(editor).length).toBeGreaterThan(6);
  editor.child.stdin?.end();
  const { code, out, err } = await editor.ended;
  expect([code, out]).toEqual([0, editor.out()]);
  expect(err).toMatch(/noisy turn/);
});

test("ACP-01: lines that are no message are answered with an error each, and the session goes on", async () => {
  await using model = await modelThat(() => "still here");
  await using editor = await startEditor({ model });
  const session = await editor.open("a");
  const before = frames(editor).length;
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const garbage = [
    "{",
    "null",
    "[]",
    "7",
    deep,
    '{"jsonrpc":"1.0","id":1}',
    '{"id":9}',
    '{"__proto__":{"a":1}}',
  ];
  for (const line of garbage) editor.child.stdin?.write(`${line}\n`);
  editor.child.stdin?.write(Buffer.concat([randomBytes(5_000), Buffer.from("\n\r\n\n")]));
  await editor.say(session, "hi");
  expect(editor.answer(session)).toBe("still here");
  const errors = frames(editor)
    .slice(before)
    .filter((one) => "error" in one);
  expect(errors.length).toBeGreaterThanOrEqual(garbage.length - 1);
  expect(new Set(errors.map(({ id }) => id))).toEqual(new Set([null]));
});

test("ACP-01: a message of more than 32 MiB is refused and dropped, and the next one is read", async () => {
  await using model = await modelThat(() => "still here");
  await using editor = await startEditor({ model });
  const session = await editor.open("a");
  const text = "x".repeat(1024 * 1024);
  const { stdin } = editor.child;
  stdin?.write(
    '{"jsonrpc":"2.0","id":77,"method":"session/prompt","params":{"prompt":[{"type":"text","text":"',
  );
  for (let i = 0; i < 40; i += 1) stdin?.write(text);
  stdin?.write('"}]}}\n');
  await editor.say(session, "hi");
  expect(editor.answer(session)).toBe("still here");
  expect(frames(editor)).toContainEqual(expect.objectContaining({ id: null, error: expect.anything() }));
});

test("ACP-01: cancel ends the turn as cancelled, and the session answers again", async () => {
  let asked = 0;
  await using model = await modelThat(() => ((asked += 1) === 1 ? "nothing yet" : "again"));
  await using editor = await startEditor({ model });
  const session = await editor.open("a");
  const turn = editor.say(session, "wait");
  await expect.poll(() => editor.answer(session)).toBe("Well, ");
  await editor.cx.notify(methods.agent.session.cancel, { sessionId: session });
  expect(await turn).toEqual({ stopReason: "cancelled" });
  expect(await editor.say(session, "hi")).toEqual({ stopReason: "end_turn" });
  expect(editor.answer(session)).toContain("again");
});

test("ACP-01: cancel of one session leaves the turn of another running", async () => {
  await using model = await modelThat(() => "nothing yet");
  await using editor = await startEditor({ model });
  const [a, b] = [await editor.open("a"), await editor.open("b")];
  const turns = [editor.say(a, "wait"), editor.say(b, "wait")];
  await expect.poll(() => editor.answer(a) + editor.answer(b)).toBe("Well, Well, ");
  await editor.cx.notify(methods.agent.session.cancel, { sessionId: a });
  expect(await turns[0]).toEqual({ stopReason: "cancelled" });
  expect(await Promise.race([turns[1], editor.say(a, "/help")])).toEqual({ stopReason: "end_turn" });
  await editor.cx.notify(methods.agent.session.cancel, { sessionId: b });
  expect(await turns[1]).toEqual({ stopReason: "cancelled" });
});

test.runIf(linux)("ACP-01: an open question dies with its turn, and a late yes runs nothing", async () => {
  await using model = await modelThat(() => ({ tool: "file_write", args: { path: "a", content: "x" } }));
  const { promise: late, resolve } = Promise.withResolvers<string>();
  await using editor = await startEditor({ model, decide: () => late });
  const session = await editor.open("a");
  const turn = editor.say(session, "write");
  await expect.poll(() => editor.asked.length).toBe(1);
  await editor.cx.notify(methods.agent.session.cancel, { sessionId: session });
  expect(await turn).toEqual({ stopReason: "cancelled" });
  resolve("allow");
  await editor.say(session, "/help");
  expect(readdirSync(path.join(editor.code, "a"))).toEqual([]);
  expect(frames(editor)).toContainEqual(expect.objectContaining({ method: "$/cancel_request" }));
});

test("ACP-01: a storm of cancels and prompts leaves every prompt answered once", async () => {
  await using model = await modelThat((said) => (said.includes("wait") ? "nothing yet" : "ok"));
  await using editor = await startEditor({ model });
  const sessions = await Promise.all(["a", "b", "c"].map((folder) => editor.open(folder)));
  const prompts: Promise<unknown>[] = [];
  for (let i = 0; i < 60; i += 1) {
    const session = sessions[i % 3] as string;
    prompts.push(editor.say(session, i % 2 ? "wait" : "hi").catch((error: unknown) => error));
    void editor.cx.notify(methods.agent.session.cancel, { sessionId: session });
    void editor.cx.notify(methods.agent.session.cancel, { sessionId: "acp-unknown" });
  }
  for (const session of sessions)
    await editor.cx.notify(methods.agent.session.cancel, { sessionId: session });
  const kinds = await Promise.all(prompts);
  expect(kinds).toHaveLength(60);
  for (const kind of kinds)
    expect(kind).toEqual(expect.toSatisfy((one) => one.stopReason || one.data?.code === "ACP_BUSY"));
  for (const session of sessions) expect(await editor.say(session, "hi")).toEqual({ stopReason: "end_turn" });
});

test.runIf(linux)("ACP-01: the process ends with its editor, and what ran for it does too", async () => {
  const mark = `mark-${randomBytes(6).toString("hex")}`;
  await using model = await modelThat(() => sleep(mark));
  await using editor = await startEditor({ model, decide: () => "allow" });
  const session = await editor.open("a");
  void editor.say(session, "sleep").catch(() => {});
  await expect.poll(() => runs(mark)).toBe(true);
  editor.child.stdin?.destroy();
  editor.child.stdout?.destroy();
  expect((await editor.ended).code).toBe(0);
  await expect.poll(() => runs(mark)).toBe(false);
});

test.runIf(linux)("ACP-01: closing a session ends its turn, and the id is known no more", async () => {
  const mark = `mark-${randomBytes(6).toString("hex")}`;
  await using model = await modelThat(() => sleep(mark));
  await using editor = await startEditor({ model, decide: () => "allow" });
  const session = await editor.open("a");
  const turn = editor.say(session, "sleep");
  await expect.poll(() => runs(mark)).toBe(true);
  await editor.cx.request(methods.agent.session.close, { sessionId: session });
  expect(await turn).toEqual({ stopReason: "cancelled" });
  expect(runs(mark)).toBe(false);
  await expect(editor.say(session, "hi")).rejects.toMatchObject({ data: { code: "ACP_SESSION_UNKNOWN" } });
});

test("ACP-01: fewer prompts than all wait in one session; what is too many is refused at once", async () => {
  await using model = await modelThat(() => "nothing yet");
  await using editor = await startEditor({ model });
  const session = await editor.open("a");
  const waiting = Array.from({ length: 8 }, () => editor.say(session, "wait"));
  await expect(editor.say(session, "one more")).rejects.toMatchObject({ data: { code: "ACP_BUSY" } });
  await editor.cx.notify(methods.agent.session.cancel, { sessionId: session });
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => ({ stopReason: "cancelled" })));
});
