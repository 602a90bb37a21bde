import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import {
  textOf,
  Approvals,
  ask,
  AuditSinks,
  definePlugin,
  Observers,
  refuse,
  type ApprovalRequest,
  type TurnEvent,
} from "@gantry/sdk";
import { fakeChannel, fakeProvider, memoryStore, startTestHost, type TestHost } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";
import { gate, guard, tool } from "./helpers/plugins.ts";

const no = refuse({ code: "NO", message: "no" });
const asking = guard("asking", () => ask({ code: "MAYBE", message: "This changes something." }));
const records = (t: TestHost) =>
  t.audit.map(({ event_type, tool: name, result }) => [event_type, name, result]);

/** A tool that writes to `path`, and says how often it ran. */
function writer(ran: string[] = []) {
  return tool(
    "write",
    async ({ args, effects }) => (
      ran.push(effects.paths[0]?.resolved ?? ""),
      `wrote ${String(args["path"])}`
    ),
    {
      effects: ({ path: at }) => ({ paths: [{ path: at, access: "write" }] }),
    },
  );
}

/** Decides the questions of one call as they come. */
function answering(t: TestHost, answer: (request: ApprovalRequest) => unknown) {
  return {
    approvals: "ask" as const,
    onEvent: (event: TurnEvent) => {
      if (event.type === "approval_request") void answer(event.request);
    },
    decide: (request: ApprovalRequest, word: string) =>
      t.slot(Approvals).decide(request.id, word, { user: "cli:test" }),
  };
}

test("SEC-02: a call runs after an exact allow, and the audit says who gave it", async () => {
  await using t = await startTestHost({ plugins: [asking, writer()] });
  const person = answering(t, (request) => person.decide(request, "allow"));
  expect(await t.call("write", { path: "a" }, person)).toEqual({ decision: "approved", text: "wrote a" });
  expect(records(t)).toEqual([
    ["approval", "write", "allow by cli:test"],
    ["tool_call", "write", "approved"],
    ["tool_result", "write", "done"],
  ]);
});

test.each([
  "deny",
  "Allow",
  "ALLOW",
  "allow ",
  " allow",
  "yes",
  "y",
  "true",
  "1",
  "",
  "allow\n",
  "allow always",
  "__proto__",
])("SEC-02: the word %j releases nothing", async (word) => {
  const ran: string[] = [];
  await using t = await startTestHost({ plugins: [asking, writer(ran)] });
  const person = answering(t, (request) => person.decide(request, word));
  expect(await t.call("write", { path: "a" }, person)).toMatchObject({
    decision: "refused",
    code: "APPROVAL_DENIED",
  });
  expect(ran).toEqual([]);
});

test.each<[string, unknown]>([
  ["true", true],
  ["an object that says allow", { decision: "allow", toString: () => "allow" }],
  ["a list", ["allow"]],
  ["null", null],
  ["undefined", undefined],
])("SEC-02: %s releases nothing", async (_, word) => {
  await using t = await startTestHost({ plugins: [asking, writer()] });
  const person = answering(t, (request) => person.decide(request, word as string));
  expect(await t.call("write", { path: "a" }, person)).toMatchObject({
    decision: "refused",
    code: "APPROVAL_DENIED",
  });
});

test("SEC-02: a wrong id decides nothing, a second answer comes too late, and a question is used once", async () => {
  await using t = await startTestHost({ plugins: [asking, writer()] });
  const words: Promise<string>[] = [];
  const pending: Promise<unknown>[] = [];
  const person = answering(t, (request) => {
    const { decide, pending: list } = t.slot(Approvals);
    words.push(
      decide.call(t.slot(Approvals), `${request.id}x`, "allow", { user: "cli:test" }),
      decide.call(t.slot(Approvals), "", "allow", { user: "cli:test" }),
    );
    pending.push(list.call(t.slot(Approvals)));
    words.push(person.decide(request, "deny"), person.decide(request, "allow"));
  });
  expect(await t.call("write", { path: "a" }, person)).toMatchObject({ decision: "refused" });
  expect(await Promise.all(words)).toEqual(["unknown", "unknown", "done", "decided"]);
  expect(await Promise.all(pending)).toMatchObject([[{ tool: "write" }]]);
  expect(await t.slot(Approvals).pending()).toEqual([]);
});

test("SEC-02: an allow for one call does not carry over to the same call again", async () => {
  await using t = await startTestHost({ plugins: [asking, writer()] });
  let asked = 0;
  const person = answering(t, (request) => person.decide(request, (asked += 1) === 1 ? "allow" : "deny"));
  await t.call("write", { path: "a" }, person);
  expect(await t.call("write", { path: "a" }, person)).toMatchObject({
    decision: "refused",
    code: "APPROVAL_DENIED",
  });
  expect(asked).toBe(2);
});

test("SEC-02: no answer in time is a no, and so is a cancelled turn", async () => {
  await using t = await startTestHost({ plugins: [asking, writer()], timeouts: { approval: 30 } });
  expect(
    await t.call(
      "write",
      { path: "a" },
      answering(t, () => {}),
    ),
  ).toEqual({
    decision: "refused",
    code: "APPROVAL_EXPIRED",
    text: "Nobody answered the question about write in 0.03 s, which is a no.",
  });
  await using slow = await startTestHost({ plugins: [asking, writer()] });
  const stop = new AbortController();
  const cancelled = await slow.call(
    "write",
    { path: "a" },
    { ...answering(slow, () => stop.abort()), signal: stop.signal },
  );
  expect(cancelled).toMatchObject({ code: "TURN_CANCELLED" });
  expect(await slow.slot(Approvals).pending()).toEqual([]);
});

test("SEC-02: a question dies with its host: after a restart its id is unknown", async () => {
  const { opened, open } = gate();
  const first = await startTestHost({ plugins: [asking, writer()] });
  let id = "";
  const stop = new AbortController();
  const call = first.call(
    "write",
    { path: "a" },
    { ...answering(first, (request) => ((id = request.id), open())), signal: stop.signal },
  );
  await opened;
  await using second = await startTestHost({ plugins: [asking, writer()] });
  expect(await second.slot(Approvals).decide(id, "allow", { user: "cli:test" })).toBe("unknown");
  stop.abort();
  expect(await call).toMatchObject({ code: "TURN_CANCELLED" });
  await first.stop();
});

test("SEC-02: where nobody is there to ask, a question is a refusal; who is asked but cannot be shown it says no", async () => {
  await using t = await startTestHost({ plugins: [asking, writer()] });
  expect(await t.call("write", { path: "a" }, { approvals: "none" })).toMatchObject({
    decision: "refused",
    code: "APPROVAL_NO_PERSON",
  });
  expect(await t.call("write", { path: "a" }, { approvals: "ask" })).toMatchObject({
    decision: "refused",
    code: "APPROVAL_NO_PERSON",
  });
  const broken = {
    approvals: "ask" as const,
    onEvent: (event: TurnEvent) => {
      if (event.type === "approval_request") throw new Error("the screen is gone");
    },
  };
  expect(await t.call("write", { path: "a" }, broken)).toMatchObject({
    decision: "refused",
    code: "APPROVAL_DENIED",
  });
});

test("SEC-02: --yes approves what would be asked and never what is refused", async () => {
  const ran: string[] = [];
  await using t = await startTestHost({
    plugins: [asking, guard("no", () => no, { order: "late" }), writer(ran)],
  });
  expect(await t.call("write", { path: "a" }, { approvals: "yes" })).toMatchObject({
    decision: "refused",
    code: "NO",
  });
  expect(ran).toEqual([]);
});

test("SEC-02: a link that is turned elsewhere while the question is open makes the approval void", async () => {
  const ran: string[] = [];
  await using t = await startTestHost({ plugins: [asking, writer(ran)] });
  const { workspace } = t.runtime;
  await mkdir(path.join(workspace, "safe"));
  await mkdir(path.join(workspace, "other"));
  await symlink("safe", path.join(workspace, "link"));
  const person = answering(t, async (request) => {
    await rm(path.join(workspace, "link"));
    await symlink("other", path.join(workspace, "link"));
    person.decide(request, "allow");
  });
  expect(await t.call("write", { path: "link/a" }, person)).toMatchObject({
    decision: "refused",
    code: "APPROVAL_CHANGED",
  });
  expect(ran).toEqual([]);
  expect(records(t).at(-1)).toEqual(["security_refusal", "write", "refused: APPROVAL_CHANGED"]);
});

test("SEC-02: a link that appears where there was nothing makes the approval void", async () => {
  await using t = await startTestHost({ plugins: [asking, writer()] });
  const person = answering(t, async (request) => {
    await symlink("/etc", path.join(t.runtime.workspace, "new"));
    person.decide(request, "allow");
  });
  expect(await t.call("write", { path: "new/passwd" }, person)).toMatchObject({
    decision: "refused",
    code: "APPROVAL_CHANGED",
  });
});

test("SEC-02: a workspace that is exchanged while the question is open makes the approval void", async () => {
  await using t = await startTestHost({
    plugins: [asking, tool("shell", async () => "ran", { effects: () => ({ commands: ["make"] }) })],
  });
  const { workspace } = t.runtime;
  const person = answering(t, async (request) => {
    await mkdir(`${workspace}-other`);
    await rename(workspace, `${workspace}-old`);
    await symlink(`${workspace}-other`, workspace);
    person.decide(request, "allow");
  });
  expect(await t.call("shell", {}, person)).toMatchObject({ decision: "refused", code: "APPROVAL_CHANGED" });
});

test("SEC-02: a tool that states other effects after the approval than before does not run", async () => {
  let target = "first";
  let ran = false;
  const fickle = tool("fickle", async () => String((ran = true)), {
    effects: () => ({ commands: [target] }),
  });
  await using t = await startTestHost({ plugins: [asking, fickle] });
  const person = answering(t, (request) => ((target = "second"), person.decide(request, "allow")));
  expect(await t.call("fickle", {}, person)).toMatchObject({ decision: "refused", code: "APPROVAL_CHANGED" });
  expect(ran).toBe(false);
});

test("SEC-02, SEC-14: a yes holds for the target that was shown, now and for the rest of the conversation", async () => {
  let digest = "first";
  const pressing = tool("press", async () => "pressed", {
    effects: () => ({ target: { shown: "the button Send", digest } }),
  });
  await using t = await startTestHost({ plugins: [asking, pressing] });
  const asked: string[] = [];
  const person = (word: string, next: string) =>
    answering(t, ({ always = "", ...request }) => {
      asked.push(always);
      digest = next;
      person(word, next).decide({ ...request, always }, word);
    });
  const changed = await t.call("press", {}, person("allow", "second"));
  expect(changed).toMatchObject({ decision: "refused", code: "APPROVAL_CHANGED" });
  expect(await t.call("press", {}, person("always", "second"))).toMatchObject({ text: "pressed" });
  expect(await t.call("press", {}, person("allow", "second"))).toMatchObject({ decision: "allowed" });
  digest = "third";
  expect(await t.call("press", {}, person("allow", "third"))).toMatchObject({ decision: "approved" });
  expect(asked).toEqual(Array(3).fill("press with exactly these arguments on the button Send"));
});

test("SEC-02: changing the arguments after they were shown changes nothing of what runs", async () => {
  let ran: unknown;
  await using t = await startTestHost({
    plugins: [asking, tool("run", async ({ args }) => ((ran = structuredClone(args)), "ran"))],
  });
  const args = { list: ["a"] };
  const person = answering(t, (request) => {
    args.list.push("b");
    expect(() => (request.args["list"] as string[]).push("c")).toThrow(TypeError);
    person.decide(request, "allow");
  });
  expect(await t.call("run", args, person)).toMatchObject({ decision: "approved" });
  expect(ran).toEqual({ list: ["a"] });
});

test("SEC-02: the question shows what will run, links resolved, hidden and control signs made visible", async () => {
  await using t = await startTestHost({
    plugins: [
      asking,
      tool("write", async () => "", {
        effects: ({ path: at }) => ({ paths: [{ path: at, access: "write" }] }),
        preview: ({ path: at }) => `write ${at}`,
      }),
    ],
  });
  await symlink("/etc", path.join(t.runtime.workspace, "notes"));
  let shown: ApprovalRequest | undefined;
  const person = answering(t, (request) => ((shown = request), person.decide(request, "deny")));
  await t.call("write", { path: "notes/passwd" }, person);
  expect(shown?.preview).toBe("notes/passwd is /etc/passwd\nwrite notes/passwd");
  expect(shown?.reasons).toEqual(["This changes something."]);
  await t.call("write", { path: "a\u001b[2K\r\u202eb" }, person);
  expect(shown?.preview.split("\n").at(-1)).toBe("write a\\u001b[2K\\u000d\\u202eb");
  await t.call("write", { path: "a\u00ad\u061c\u3164\u{e0041}b" }, person);
  expect(shown?.preview.split("\n").at(-1)).toBe("write a\\u00ad\\u061c\\u3164\\u{e0041}b");
});

test("SEC-19: the question names what a link leads to, also where both end alike", async () => {
  const write = tool("write", async () => "", {
    effects: ({ path: at }) => ({ paths: [{ path: at, access: "write" }] }),
    preview: ({ path: at }) => `write ${at}`,
  });
  await using t = await startTestHost({ plugins: [asking, write] });
  const { workspace } = t.runtime;
  await symlink("/srv/www/index.html", path.join(workspace, "index.html"));
  await symlink("/etc", path.join(workspace, "etc"));
  const shown: string[] = [];
  const person = answering(t, (request) => (shown.push(request.preview), person.decide(request, "deny")));
  const written = [
    "index.html",
    path.join(workspace, "index.html"),
    "etc/passwd",
    "own/index.html",
    "../etc",
  ];
  for (const at of written) await t.call("write", { path: at }, person);
  expect(shown).toEqual([
    "index.html is /srv/www/index.html\nwrite index.html",
    `${workspace}/index.html is /srv/www/index.html\nwrite ${workspace}/index.html`,
    "etc/passwd is /etc/passwd\nwrite etc/passwd",
    "write own/index.html",
    `../etc is ${path.resolve(workspace, "../etc")}\nwrite ../etc`,
  ]);
});

test("SEC-02: an owner allows in the channel by the question's id; anybody else's answer counts for nothing", async () => {
  const owner = fakeChannel("fake", { owners: ["alice"] });
  const ran: string[] = [];
  const call = { calls: [{ name: "write", args: { path: "a" } }] };
  await using t = await startTestHost({
    plugins: [
      asking,
      writer(ran),
      owner,
      memoryStore(),
      fakeProvider([
        ({ messages }) =>
          messages.some(({ role }) => role === "tool")
            ? "done"
            : textOf(messages.at(-1)?.parts ?? []).includes("write a")
              ? call
              : "no",
      ]),
    ],
  });
  await t.serve();
  await owner.receive({ text: "write a" });
  await owner.sentCount(1);
  const short = /allow ([0-9a-f]{6})/.exec(owner.sent[0]?.text ?? "")?.[1] ?? "";
  expect(owner.sent[0]?.text).toContain("write");
  await owner.receive({ text: `allow ${short}`, from: "mallory" });
  await owner.sentCount(2);
  expect(ran).toEqual([]);
  await owner.receive({ text: `Allow ${short}` });
  await owner.sentCount(3);
  expect(owner.sent.at(-1)).toEqual({ to: "alice", text: "done" });
  expect(ran).toHaveLength(1);
  expect(records(t)).toContainEqual(["approval", "write", "allow by fake:alice"]);
});

test("SEC-02: in a channel where the sender is no owner, what needs a person is refused", async () => {
  const channel = fakeChannel();
  const call = { calls: [{ name: "write", args: { path: "a" } }] };
  await using t = await startTestHost({
    plugins: [asking, writer(), channel, memoryStore(), fakeProvider([call, "done"])],
  });
  await t.serve();
  await channel.receive({ text: "write a" });
  await channel.sentCount(1);
  expect(records(t)).toContainEqual(["tool_call", "write", "refused: APPROVAL_NO_PERSON"]);
});

test("HST-04: every way to a tool passes the guards and the audit once: turn, caller, channel, tool from tool", async () => {
  const seen: string[] = [];
  const watcher = guard("watcher", (call) => (seen.push(call.tool), call.tool === "inner" ? no : undefined));
  const outer = tool("outer", async ({ call }) => call("inner", {}));
  const inner = tool("inner", async () => "inner ran");
  const channel = fakeChannel();
  const model = fakeProvider([
    { calls: [{ name: "inner", args: {} }] },
    "done",
    { calls: [{ name: "outer", args: {} }] },
    "done",
  ]);
  await using t = await startTestHost({ plugins: [watcher, outer, inner, channel, memoryStore(), model] });
  const start = () => [seen.length, t.audit.filter(({ event_type }) => event_type === "tool_call").length];
  expect(await t.call("inner", {})).toMatchObject({ decision: "refused", code: "NO" });
  expect(start()).toEqual([1, 1]);
  expect(await t.ask("turn")).toMatchObject({
    tool_calls: [{ tool: "inner", decision: "refused", code: "NO" }],
  });
  expect(start()).toEqual([2, 2]);
  await t.serve();
  await channel.receive({ text: "channel" });
  await channel.sentCount(1);
  expect(start()).toEqual([4, 4]);
  expect(await t.call("outer", {})).toMatchObject({ decision: "failed", code: "NO" });
  expect(seen).toEqual(["inner", "inner", "outer", "inner", "outer", "inner"]);
});

test("HST-04: tools that call tools without end are stopped", async () => {
  let depth = 0;
  const loop = tool("loop", async ({ call }) => ((depth += 1), call("loop", {})));
  await using t = await startTestHost({ plugins: [loop] });
  expect(await t.call("loop", {})).toMatchObject({ decision: "failed", code: "TOOL_TOO_DEEP" });
  expect(depth).toBe(5);
});

test("AUD-03: a call that cannot be recorded does not run", async () => {
  const ran: string[] = [];
  const full = definePlugin({
    name: "audit-full",
    provides: [AuditSinks],
    setup: (host) =>
      host.provide(AuditSinks, { name: "full", write: () => Promise.reject(new Error("ENOSPC")) }),
  });
  await using t = await startTestHost({ plugins: [full, writer(ran)] });
  expect(await t.call("write", { path: "a" })).toEqual({
    decision: "refused",
    code: "AUDIT_FAILED",
    text: "The audit record could not be written (ENOSPC), so nothing was run: free the disk or fix security.audit.log_path.",
  });
  expect(ran).toEqual([]);
});

test("AUD-01: one tool_call record for each call, allowed or not, with arguments, user and session", async () => {
  await using t = await startTestHost({
    plugins: [guard("picky", ({ args }) => (args["path"] === "b" ? no : undefined)), writer()],
  });
  await t.call("write", { path: "a" }, { user: "chat:bob", session: "s1" });
  await t.call("write", { path: "b" });
  await t.call("nothing", {});
  expect(records(t)).toEqual([
    ["tool_call", "write", "allowed"],
    ["tool_result", "write", "done"],
    ["tool_call", "write", "refused: NO"],
    ["security_refusal", "write", "refused: NO"],
    ["tool_call", "nothing", "failed: TOOL_UNKNOWN"],
  ]);
  expect(t.audit[0]).toMatchObject({
    args: { path: "a" },
    user: "chat:bob",
    session_id: "s1",
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
  });
});

const strict = tool("strict", async ({ args }) => `size ${String(args["size"])}`, {
  input: Type.Object({ size: Type.Integer({ minimum: 1 }), name: Type.Optional(Type.String()) }),
});

test.each<[string, unknown, string]>([
  ["a wrong type", { size: "big" }, "The arguments for strict are wrong: `size` must be integer."],
  ["a missing key", {}, "The arguments for strict are wrong: it misses `size`."],
  ["a value out of bounds", { size: 0 }, "The arguments for strict are wrong: `size` must be >= 1."],
  ["broken JSON", '{"size": ', "The arguments for strict are wrong: they are not JSON ("],
  ["JSON that is no object", "[1]", "The arguments for strict are wrong: "],
  ["null", "null", "The arguments for strict are wrong: "],
  ["a function", { size: 1, name: () => 1 }, "The arguments for strict are wrong: "],
])("AGT-03: %s is told as a result, and the tool does not run", async (_, args, text) => {
  await using t = await startTestHost({ plugins: [strict] });
  expect(await t.call("strict", args)).toEqual({
    decision: "failed",
    code: "TOOL_BAD_ARGS",
    text: expect.stringContaining(text),
  });
});

test("AGT-03: an argument that a tool does not take is named, and where it stands", async () => {
  const inner = Type.Object({ a: Type.Optional(Type.Integer()) }, { additionalProperties: false });
  const input = Type.Object({ inner: Type.Optional(inner) }, { additionalProperties: false });
  await using t = await startTestHost({ plugins: [tool("closed", async () => "", { input })] });
  const told = async (args: unknown): Promise<string> => (await t.call("closed", args)).text;
  expect(await told({ z: 1 })).toBe("The arguments for closed are wrong: it knows no `z`.");
  expect(await told({ inner: { b: 1 } })).toBe("The arguments for closed are wrong: `inner` knows no `b`.");
});

test("AGT-03: a pattern of a tool's schema that takes for ever on a text holds nobody up", async () => {
  const input = Type.Object({ text: Type.String({ pattern: "^(a+)+$" }) });
  await using t = await startTestHost({ plugins: [tool("slow", async () => "fits", { input })] });
  expect((await t.call("slow", { text: "aaa" })).text).toBe("fits");
  const { code, text } = await t.call("slow", { text: `${"a".repeat(60)}!` });
  expect([code, text]).toEqual(["TOOL_BAD_ARGS", expect.stringContaining("too long")]);
  expect((await t.call("slow", { text: "b" })).code).toBe("TOOL_BAD_ARGS");
});

test("AGT-03: an unknown tool, one that throws, one that answers nonsense and one that is too slow are told as results", async () => {
  await using t = await startTestHost({
    plugins: [
      tool("throws", async () => {
        throw new Error("disk on fire");
      }),
      tool("odd", async () => 5 as never),
      tool("slow", () => new Promise(() => {}), { timeoutMs: 30 }),
      tool("unstated", async () => "", {
        effects: () => {
          throw new Error("no path");
        },
      }),
    ],
  });
  expect(await t.call("nothing", {})).toEqual({
    decision: "failed",
    code: "TOOL_UNKNOWN",
    text: "There is no tool `nothing`; the tools are: throws, odd, slow, unstated.",
  });
  expect(await t.call("throws", {})).toEqual({
    decision: "failed",
    code: "TOOL_FAILED",
    text: "The tool throws failed: disk on fire",
  });
  expect(await t.call("odd", {})).toMatchObject({ decision: "failed", code: "TOOL_FAILED" });
  expect(await t.call("unstated", {})).toMatchObject({ decision: "failed", code: "TOOL_BAD_ARGS" });
  expect(await t.call("slow", {})).toEqual({
    decision: "failed",
    code: "TOOL_TIMEOUT",
    text: "The tool slow did not finish in 0.03 s and was stopped.",
  });
});

test("AGT-05: a call of a turn that is already cancelled does not run", async () => {
  const ran: string[] = [];
  await using t = await startTestHost({ plugins: [writer(ran)] });
  expect(await t.call("write", { path: "a" }, { signal: AbortSignal.abort() })).toMatchObject({
    decision: "failed",
    code: "TURN_CANCELLED",
  });
  expect(ran).toEqual([]);
});

test("CFG-07: tools.max_output_bytes cuts a tool's text between characters and says so", async () => {
  const long = tool("long", async ({ args }) => "é".repeat(args["count"] as number));
  await using t = await startTestHost({ plugins: [long], config: { tools: { max_output_bytes: 1_025 } } });
  expect((await t.call("long", { count: 512 })).text).toBe("é".repeat(512));
  expect((await t.call("long", { count: 600 })).text).toBe(`${"é".repeat(512)}\n[cut: 176 more bytes]`);
});

test("HST-04: an observer is told what ran and how it went; one that throws is logged and changes nothing", async () => {
  const told: unknown[] = [];
  const watching = definePlugin({
    name: "observer-test",
    provides: [Observers],
    setup(host) {
      host.provide(Observers, {
        name: "watching",
        toolFinished: ({ call, failed, code }) => void told.push([call.tool, failed, code]),
      });
      host.provide(Observers, { name: "broken", toolFinished: () => Promise.reject(new Error("no")) });
    },
  });
  const exit = tool("exit", async () => ({ text: "exit code 1", failed: true }));
  await using t = await startTestHost({
    plugins: [watching, writer(), exit, guard("no", ({ args }) => (args["no"] ? no : undefined))],
  });
  await t.call("write", { path: "a" });
  await t.call("exit", {});
  await t.call("exit", { no: true });
  expect(told).toEqual([
    ["write", false, undefined],
    ["exit", true, undefined],
  ]);
  expect(t.logs.some(({ message }) => message === "The observer broken failed.")).toBe(true);
});

test("SEC-05: a path is shown to the guards as the kernel would open it: links, dots, home, links that lead nowhere yet", async () => {
  const seen: string[] = [];
  const watcher = guard("watcher", ({ effects }) => void seen.push(effects.paths[0]?.resolved ?? ""));
  await using t = await startTestHost({ plugins: [watcher, writer()] });
  const { workspace } = t.runtime;
  await symlink("/etc", path.join(workspace, "link"));
  await symlink("/nowhere/yet", path.join(workspace, "dangling"));
  await symlink("loop", path.join(workspace, "loop"));
  await writeFile(path.join(workspace, "file"), "");
  for (const at of ["a/../b", "link/passwd", "link/../x", "dangling", "../x", "/etc/../etc/passwd", "file/x"])
    await t.call("write", { path: at });
  expect(seen).toEqual([
    path.join(workspace, "b"),
    "/etc/passwd",
    path.join(workspace, "x"),
    "/nowhere/yet",
    path.join(path.dirname(workspace), "x"),
    "/etc/passwd",
    path.join(workspace, "file/x"),
  ]);
  expect(await t.call("write", { path: "loop/x" })).toMatchObject({ decision: "allowed" });
});

test("SEC-02: however long a call is, the question shows all of it", async () => {
  await using t = await startTestHost({ plugins: [asking, writer()] });
  const shown: string[] = [];
  const person = answering(t, (request) => (shown.push(request.preview), person.decide(request, "deny")));
  await t.call("write", { path: `${"a".repeat(20_000)}; the end` }, person);
  expect(shown[0]).toContain("; the end");
});

test.each([
  [{ path: "secret" }, "with `path`, which is none"],
  [{ paths: ["secret"] }, "with paths that lack path or access"],
  [{ paths: { path: "secret", access: "read" } }, "with paths that lack path or access"],
  [{ paths: [{ path: "secret", access: "Read" }] }, "with paths that lack path or access"],
  [{ commands: "rm -rf /" }, "with commands that are no list of texts"],
  [{ urls: [new URL("http://inside.test")] }, "with urls that are no list of texts"],
  [{ brings: { pages: ["a page"] } }, "with brings.pages, which is no list"],
  ["none", "that are no object"],
])(
  "SEC-02: effects %j, which no guard could judge, stop the call with a sentence",
  async (effects, words) => {
    const ran: string[] = [];
    const misspelt = tool("misspelt", async () => String(ran.push("ran")), {
      effects: () => effects as never,
    });
    await using t = await startTestHost({ plugins: [misspelt] });
    const outcome = await t.call("misspelt", {});
    expect(outcome).toMatchObject({ decision: "failed", code: "TOOL_BAD_EFFECTS" });
    expect(outcome.text).toContain(`The tool misspelt states effects ${words}`);
    expect(ran).toEqual([]);
  },
);
