import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  Audit,
  Checks,
  Commands,
  definePlugin,
  defineTool,
  refuse,
  Tools,
  type CommandContext,
} from "@gantry/sdk";
import { startTestHost, type TestHost } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test, vi } from "vitest";
import plugin from "./index.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let runs = 0;
const clock = definePlugin({
  name: "tool-clock",
  provides: [Tools],
  taps: ["beforeToolCall"],
  setup(host) {
    host.provide(
      Tools,
      defineTool({
        name: "clock",
        description: "Tells the time.",
        input: Type.Object({ zone: Type.String() }),
        async run() {
          runs++;
          return "noon";
        },
      }),
    );
    host.hooks.beforeToolCall.tap(({ args }) =>
      args["zone"] === "Mars" ? refuse({ code: "CLOCK_MARS", message: "No Mars." }) : undefined,
    );
  },
});

const start = (audit: object = {}): Promise<TestHost> =>
  startTestHost({ plugins: [plugin, clock], config: { security: { audit } } });
const records = (t: TestHost, file = "audit.jsonl"): Record<string, unknown>[] => {
  const path = join(t.configDir, file);
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
};
/** One record, as of a call. */
const note = (t: TestHost): Promise<void> =>
  t.slot(Audit).record({
    event_type: "tool_call",
    tool: "clock",
    args: { zone: "UTC" },
    result: "allowed",
    user: "cli:owner",
    session_id: "s1",
  });
async function word(
  t: TestHost,
  name: string,
  { args = [], options = {} }: Pick<Partial<CommandContext>, "args" | "options">,
): Promise<{ code: number; out: string }> {
  const out: string[] = [];
  const run = { args, options, out: (line: string) => out.push(line) } as unknown as CommandContext;
  const code = await t.slot(Commands).get(name)!.run(run);
  return { code, out: out.join("\n") };
}
const verify = (t: TestHost, options: Record<string, boolean> = {}): ReturnType<typeof word> =>
  word(t, "audit verify", { options });
const acknowledge = (t: TestHost, reason: string): ReturnType<typeof word> =>
  word(t, "audit acknowledge", { args: [reason] });

test("AUD-01: every call leaves one tool_call record, allowed or not, one that ran its end, and a refusal a security event", async () => {
  await using t = await start();
  await t.call("clock", { zone: "UTC" }, { user: "cli:owner", session: "s1" });
  await t.call("clock", { zone: "Mars" });
  await t.call("clock", { zone: 7 });
  expect(records(t).map(({ event_type, tool, result }) => [event_type, tool, result])).toEqual([
    ["tool_call", "clock", "allowed"],
    ["tool_result", "clock", "done"],
    ["tool_call", "clock", "refused: CLOCK_MARS"],
    ["security_refusal", "clock", "refused: CLOCK_MARS"],
    ["tool_call", "clock", "failed: TOOL_BAD_ARGS"],
  ]);
  expect(records(t)[0]).toMatchObject({ args: { zone: "UTC" }, user: "cli:owner", session_id: "s1", seq: 1 });
});

test.each([
  [{ log_tool_calls: false }, ["security_refusal"]],
  [{ log_security_events: false }, ["tool_call", "tool_result", "tool_call"]],
  [{ enabled: false }, []],
])("AUD-01: with %j only %j is written", async (audit, types) => {
  await using t = await start(audit);
  await t.call("clock", { zone: "UTC" });
  await t.call("clock", { zone: "Mars" });
  expect(records(t).map(({ event_type }) => event_type)).toEqual(types);
});

test("AUD-01: log_path moves the log; a relative one starts at the configuration directory", async () => {
  await using t = await start({ log_path: "logs/agent.jsonl" });
  await note(t);
  expect(records(t, "logs/agent.jsonl")).toHaveLength(1);
});

test("FLR-36: a file that is no audit log is never written, moved or cut, and nothing runs", async () => {
  const rc = "export A=1\n".repeat(20);
  for (const text of [rc, "no line break", "{}\n", '{"timestamp":1}\n']) {
    await using t = await start({ log_path: "rc.txt" });
    const file = join(t.configDir, "rc.txt");
    writeFileSync(file, text, { mode: 0o644 });
    runs = 0;
    expect(await t.call("clock", { zone: "$(touch x)" })).toMatchObject({
      code: "AUDIT_FAILED",
      text: expect.stringContaining("is not an audit log"),
    });
    expect([runs, readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual([0, text, 0o644]);
    expect(readdirSync(t.configDir).filter((name) => name.endsWith(".torn"))).toEqual([]);
  }
});

test("FLR-36: log_path names no file that a program obeys", async () => {
  for (const log_path of ["~/.bashrc", "/etc/profile.d/a.sh", "~/.config/autostart/a.desktop", "x", ".log"])
    await expect(start({ log_path })).rejects.toMatchObject({ code: "CONFIG_WRONG_TYPE" });
});

test("AUD-02: log_retention_days is how long earlier days are kept", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 1) });
  try {
    await using t = await start({ log_retention_days: 2 });
    for (let day = 1; day <= 5; day++) {
      vi.setSystemTime(Date.UTC(2026, 0, day, 12));
      await note(t);
    }
    const files = readdirSync(t.configDir).filter((name) => /^audit\..*jsonl$/.test(name));
    expect(files.toSorted()).toEqual([
      "audit.2026-01-03.000000000003.jsonl",
      "audit.2026-01-04.000000000004.jsonl",
      "audit.jsonl",
    ]);
    expect((await verify(t)).out).toContain("3 records (3 to 5) in 3 files");
  } finally {
    vi.useRealTimers();
  }
});

test("AUD-03: a call that cannot be recorded does not run, and runs again once the log can be written", async () => {
  await using t = await start({ log_path: "logs/audit.jsonl" });
  writeFileSync(join(t.configDir, "logs"), "in the way");
  runs = 0;
  const refused = await t.call("clock", { zone: "UTC" });
  expect(refused).toMatchObject({
    decision: "refused",
    code: "AUDIT_FAILED",
    text: expect.stringContaining("logs/audit.jsonl"),
  });
  expect(runs).toBe(0);
  rmSync(join(t.configDir, "logs"));
  expect(await t.call("clock", { zone: "UTC" })).toMatchObject({ decision: "allowed", text: "noon" });
  expect(runs).toBe(1);
});

test("AUD-02: audit verify says that the chain holds, or names file and line and exits with 1", async () => {
  await using t = await start();
  expect(await verify(t)).toEqual({
    code: 0,
    out: `There is no record in ${join(t.configDir, "audit.jsonl")} yet.`,
  });
  for (let n = 0; n < 3; n++) await note(t);
  expect(await verify(t)).toEqual({
    code: 0,
    out: expect.stringContaining("The chain holds: 3 records (1 to 3) in 1 file"),
  });
  const path = join(t.configDir, "audit.jsonl");
  writeFileSync(path, readFileSync(path, "utf8").replace("allowed", "refused"));
  await expect(verify(t)).rejects.toMatchObject({
    code: "AUDIT_CHAIN_BROKEN",
    exit: 1,
    message: expect.stringContaining(`${path}, line 1`),
  });
  const { code, out } = await verify(t, { json: true });
  expect(code).toBe(1);
  expect(JSON.parse(out)).toEqual({
    ok: false,
    log: path,
    records: 1,
    files: 1,
    first: 1,
    last: 1,
    problem: { file: path, line: 1, what: "record 1 was changed" },
  });
});

test.each([
  ["moved away", (path: string) => renameSync(path, `${path}.1`)],
  ["copied and cut", (path: string) => writeFileSync(path, "")],
])(
  "OPS-03: once the log was %s from outside, audit acknowledge names the gap in the chain, and verify holds again",
  async (_, rotate) => {
    // The gap is written down also where events are not kept.
    await using t = await start({ log_security_events: false });
    const path = join(t.configDir, "audit.jsonl");
    for (let n = 0; n < 3; n++) await note(t);
    rotate(path);
    await note(t);
    await expect(verify(t)).rejects.toMatchObject({
      message: expect.stringContaining("records 1 to 3 were removed"),
    });
    const doctor = () => t.slot(Checks).get("audit-file-chain")!.run(new AbortController().signal);
    expect(await doctor()).toMatchObject([{ cure: expect.stringContaining("audit acknowledge") }]);
    expect((await acknowledge(t, "logrotate")).out).toMatch(
      /^Acknowledged: records 1 to 3 were removed.*\.$/,
    );
    const { code, out } = await verify(t);
    expect(code).toBe(0);
    expect(out).toMatch(
      /2 records \(4 to 5\)[^]*\nrecords 1 to 3 are missing, acknowledged \S+Z: logrotate$/,
    );
    expect(await doctor()).toMatchObject([
      { state: "ok", detail: expect.stringContaining("1 to 3 are missing") },
    ]);
    expect((await acknowledge(t, "again")).out).toContain("nothing to acknowledge");
    // One record more is another gap; a changed one is none.
    const lines = readFileSync(path, "utf8").split("\n");
    writeFileSync(path, lines.slice(1).join("\n"));
    await expect(verify(t)).rejects.toMatchObject({ message: expect.stringContaining("records 1 to 4") });
    writeFileSync(path, lines.join("\n").replace("allowed", "refused"));
    await expect(acknowledge(t, "no")).rejects.toMatchObject({ code: "AUDIT_NO_GAP" });
  },
);

test("OPS-03: an acknowledged gap binds what stands before it, and what is cut off at the end can be acknowledged too", async () => {
  await using t = await start();
  const path = join(t.configDir, "audit.jsonl");
  for (let n = 0; n < 5; n++) await note(t);
  const lines = readFileSync(path, "utf8").split("\n");
  writeFileSync(path, `${lines.slice(0, 2).join("\n")}\n`);
  await acknowledge(t, "cut by hand");
  expect(await verify(t)).toMatchObject({
    code: 0,
    out: expect.stringContaining("records 3 to 5 are missing"),
  });
  const whole = readFileSync(path, "utf8");
  writeFileSync(path, whole.replace("allowed", "refused"));
  await expect(verify(t)).rejects.toMatchObject({ message: expect.stringContaining("record 1 was changed") });
  // The record before the gap is named by nothing but the acknowledgement.
  writeFileSync(path, whole.replace(/^(.*\n.*)"allowed"/, '$1"refused"'));
  await expect(verify(t)).rejects.toMatchObject({ code: "AUDIT_CHAIN_BROKEN" });
  writeFileSync(path, whole);
  expect((await verify(t)).code).toBe(0);
});

test("AUD-02: SEC-20: status tells where the log is, doctor reads it in a row of its own, and it is said when it is off", async () => {
  await using t = await start();
  const check = (name: string, of = t) => of.slot(Checks).get(name)!.run(new AbortController().signal);
  await note(t);
  expect(await check("audit-file")).toMatchObject([
    { state: "ok", detail: expect.stringContaining("records so far: 1") },
  ]);
  expect(await check("audit-file-chain")).toMatchObject([{ what: "audit chain", state: "ok" }]);
  const path = join(t.configDir, "audit.jsonl");
  writeFileSync(path, readFileSync(path, "utf8").replace("allowed", "refused"));
  expect(await check("audit-file-chain")).toMatchObject([
    { state: "fail", detail: expect.stringContaining("line 1") },
  ]);
  await using off = await start({ enabled: false });
  expect(await check("audit-file-chain", off)).toEqual([]);
  expect(await check("audit-file", off)).toMatchObject([
    { state: "warn", cure: "set security.audit.enabled to true" },
  ]);
});

/** Returns the state of the log that `GET /ready` and alerts know, once it was read. */
async function watched(t: TestHost, state: "ok" | "warn"): Promise<string> {
  const look = () => t.slot(Checks).get("audit-file-watched")!.run(AbortSignal.timeout(60_000));
  await expect.poll(look).toMatchObject([{ what: "audit", state }]);
  return (await look())[0]?.detail ?? "";
}

test.for([
  [
    "changed",
    (file: string) => writeFileSync(file, readFileSync(file, "utf8").replace("UTC", "CET")),
    "was changed",
  ],
  ["removed", (file: string) => renameSync(file, `${file}.old`), "removed"],
  ["truncated", (file: string) => truncateSync(file, 300), "line 2: this is no record"],
] as const)("FLR-17: a log that was %s is an alert at start and while running", async ([, harm, words]) => {
  await using t = await start();
  for (let n = 0; n < 3; n += 1) await t.call("clock", { zone: "UTC" });
  await watched(t, "ok");
  harm(join(t.configDir, "audit.jsonl"));
  expect(await watched(t, "warn")).toContain(words);
  await using again = await startTestHost({ plugins: [plugin], configDir: t.configDir });
  expect(await watched(again, "warn")).toContain(words);
});

test("FLR-17: a log that grows by its own records is no alert, and an acknowledged gap is over", async () => {
  await using t = await start();
  await t.call("clock", { zone: "UTC" });
  await watched(t, "ok");
  await t.call("clock", { zone: "UTC" });
  await watched(t, "ok");
  rmSync(join(t.configDir, "audit.jsonl"));
  expect(await watched(t, "warn")).toContain("gantry audit acknowledge");
  await acknowledge(t, "the disk was changed");
  await watched(t, "ok");
});

test("FLR-17: a gap that is acknowledged is over at the next look, in a log that only grew", async () => {
  await using t = await start();
  for (let n = 0; n < 3; n += 1) await t.call("clock", { zone: "UTC" });
  const path = join(t.configDir, "audit.jsonl");
  const [first, , ...rest] = readFileSync(path, "utf8").split("\n");
  writeFileSync(path, [first, ...rest].join("\n"));
  expect(await watched(t, "warn")).toContain("gantry audit acknowledge");
  await t.call("clock", { zone: "UTC" });
  await watched(t, "warn");
  await acknowledge(t, "it was in order");
  await watched(t, "ok");
});

test.for([
  ["truncated", (file: string) => truncateSync(file, 300)],
  ["removed", (file: string) => renameSync(file, `${file}.old`)],
] as const)("FLR-17: status shows a log that was %s", async ([, harm]) => {
  await using t = await start();
  for (let n = 0; n < 3; n += 1) await t.call("clock", { zone: "UTC" });
  const look = () => t.slot(Checks).get("audit-file")!.run(AbortSignal.timeout(60_000));
  expect(await look()).toMatchObject([{ what: "audit log", state: "ok" }]);
  harm(join(t.configDir, "audit.jsonl"));
  const cure = "`gantry audit verify` names what is missing";
  expect(await look()).toMatchObject([{ what: "audit log", state: "fail", cure }]);
});
