import { definePlugin, Observers, refuse } from "@gantry/sdk";
import { expect, test, vi } from "vitest";
import { fakeChannel, fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { gantry, said, startGantry } from "../../test/helpers/cli.ts";
import pii from "../../plugins/redact-pii/index.ts";
import { tempDir } from "../../test/helpers/temp-dir.ts";
import { foldedWriter } from "../cli/fold.ts";

test("OPS-01: people are told apart in the log by a stable hash, never by their number", async () => {
  const channel = fakeChannel("chatapp");
  const failure = { code: "PROVIDER_SERVER", message: "It is away.", retry: false } as const;
  await using t = await startTestHost({
    plugins: [channel, fakeProvider([{ failure }]), memoryStore()],
  });
  await t.serve();
  for (const from of ["+15550001111", "+15550002222", "+15550001111"])
    await channel.receive({ text: "hi", from });
  const lines = () => t.logs.filter(({ message }) => message.includes("could not be answered yet"));
  await expect.poll(() => new Set(lines().map(({ detail }) => detail["conversation"])).size).toBe(2);
  for (const { detail } of lines()) expect(detail["conversation"]).toMatch(/^[0-9a-f]{8}$/);
  expect(JSON.stringify(t.logs)).not.toContain("1555");
});

test("OPS-01: CHA-02: a known sender's number is in no field of the log, and that of one who is ignored is", async () => {
  const list = definePlugin({
    name: "guard-list",
    taps: ["onInboundMessage"],
    setup: (host) =>
      host.hooks.onInboundMessage.tap(({ sender }) =>
        sender.id === "+4930901820"
          ? refuse({ code: "NOT_LISTED", message: `${sender.id} is not listed` })
          : undefined,
      ),
  });
  const channel = fakeChannel("chatapp");
  await using t = await startTestHost({
    plugins: [channel, list, pii, fakeProvider(["well"]), memoryStore()],
    config: { gateway: { messages_per_minute_per_sender: 1 } },
  });
  await t.serve();
  for (const text of ["a", "b"]) await channel.receive({ text, from: "+4917012345678" });
  await expect.poll(() => t.logs.map(({ detail }) => detail["bound"])).toContain("pace");
  expect(t.logs.find(({ detail }) => detail["bound"])?.detail["user"]).toMatch(/^[0-9a-f]{8}$/);
  expect(JSON.stringify(t.logs)).not.toContain("4917012345678");
  await channel.receive({ text: "let me in", from: "+4930901820" });
  expect(t.logs.at(-1)?.detail["stranger"]).toBe("chatapp:+4930901820");
});

test("OPS-01: a line that a plugin logs within a turn tells the plugin too", async () => {
  const teller = definePlugin({
    name: "teller",
    provides: [Observers],
    setup(host) {
      host.log.info({}, "outside");
      host.provide(Observers, { name: "teller", modelAnswered: () => host.log.info({}, "within") });
    },
  });
  await using t = await startTestHost({ plugins: [teller, fakeProvider(["well"]), memoryStore()] });
  await t.ask("hi");
  const lineOf = (said: string): unknown => t.logs.find(({ message }) => message === said)?.detail;
  await expect.poll(() => lineOf("within")).toMatchObject({ plugin: "teller" });
  expect(lineOf("outside")).toMatchObject({ plugin: "teller" });
});

test("OPS-01: equal lines are folded, with how often they came", () => {
  vi.useFakeTimers();
  try {
    const lines: string[] = [];
    const write = foldedWriter((level, _detail, message) => void lines.push(`${level} ${message}`));
    for (let i = 0; i < 635; i += 1) write("warn", { lane: i }, "It is away.");
    write("error", {}, "It is away.");
    write("warn", {}, "Another.");
    expect(lines).toEqual(["warn It is away.", "error It is away.", "warn Another."]);
    vi.advanceTimersByTime(60_000);
    expect(lines.slice(3)).toEqual(["warn It is away. (634 more times in a minute)"]);
    write("warn", {}, "It is away.");
    vi.advanceTimersByTime(60_000);
    expect(lines.slice(4)).toEqual(["warn It is away. (1 more time in a minute)"]);
    vi.advanceTimersByTime(120_000);
    write("warn", {}, "It is away.");
    expect(lines.slice(5)).toEqual(["warn It is away."]);
  } finally {
    vi.useRealTimers();
  }
});

test("OPS-01: log.level says what a service logs, and what is no level is refused", async () => {
  using home = tempDir('log.level = "error"\n[gateway]\nport = 0\n');
  const { child, ended } = startGantry(["daemon"], { dir: home.dir });
  await said(child, "stderr", /Pairing code/);
  child.kill("SIGTERM");
  const { code, err } = await ended;
  expect([code, err.includes('"level":"info"')]).toEqual([0, false]);
  using wrong = tempDir('log.level = "loud"\n');
  expect((await gantry(["status"], { dir: wrong.dir })).out).toMatch(
    /`log\.level` must be .*CONFIG_WRONG_TYPE/,
  );
});

test("OPS-01: under systemd the log has priorities and no pairing code", async () => {
  using home = tempDir("[gateway]\nport = 0\n");
  const { spawn } = await import("node:child_process");
  const { bin, environment } = await import("../../test/helpers/cli.ts");
  // The shell tells the device and inode of the pipe that its child inherits, as systemd does.
  const script = 'JOURNAL_STREAM="$(stat -L -c %d:%i /proc/self/fd/2)" exec "$0" "$@"';
  const child = spawn("bash", ["-c", script, process.execPath, bin, "daemon"], {
    env: environment({ dir: home.dir, env: { INVOCATION_ID: "x" } }),
  });
  const text = await said(child, "stderr", /make a code with/);
  child.kill("SIGTERM");
  await new Promise((resolve) => child.on("close", resolve));
  expect(text).not.toContain("Pairing code");
  for (const line of text.trim().split("\n")) expect(line).toMatch(/^<[3467]>\{"level":/);
});
