import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  Checks,
  definePlugin,
  defineTool,
  GantryError,
  refuse,
  Store,
  Tools,
  type AuditEvent,
} from "@gantry/sdk";
import { startTestHost, type TestHost } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import store from "../store-sqlite/index.ts";
import plugin from "./index.ts";

const NOW = Date.UTC(2026, 0, 1, 12);
const MINUTE = 60_000;

/**
 * A tool whose commands end as they say: `ok`, `fail`, `throw`, `wall`; and guards that refuse
 * `blocked`, `uncertain` and `outside`.
 */
const shell = definePlugin({
  name: "tool-sayso",
  provides: [Tools],
  taps: ["beforeToolCall"],
  setup(host) {
    host.provide(
      Tools,
      defineTool({
        name: "sayso",
        description: "Ends as it is told.",
        input: Type.Object({ command: Type.String(), quiet: Type.Optional(Type.Boolean()) }),
        effects: ({ command, quiet }) => ({ commands: quiet ? [] : [command] }),
        async run({ args: { command } }) {
          if (command === "throw") throw new Error("broken");
          if (command === "wall")
            throw new GantryError("PATH_OUTSIDE", { text: "Path outside workspace.", exit: 3 }, []);
          return { text: command, failed: command === "fail" };
        },
      }),
    );
    const codes: Record<string, string> = {
      blocked: "COMMAND_BLOCKED",
      "blocked too": "COMMAND_BLOCKED",
      outside: "PATH_OUTSIDE",
      other: "NET_BLOCKED",
    };
    host.hooks.beforeToolCall.tap(({ args }) => {
      const code = codes[String(args["command"])];
      return code ? refuse({ code, message: `No (${code}).` }) : undefined;
    });
  },
});

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterEach(() => void vi.useRealTimers());

const start = (anomaly_detection: object = {}, configDir?: string): Promise<TestHost> =>
  startTestHost({
    plugins: [plugin, store, shell],
    config: { security: { anomaly_detection } },
    ...(configDir !== undefined && { configDir }),
  });
const at = (ms: number): void => void vi.setSystemTime(NOW + ms);
const anomalies = (t: TestHost): readonly AuditEvent[] =>
  t.audit.filter(({ event_type }) => event_type === "anomaly");
/** Observers are told beside the call: waits until that many of a user's deeds are counted. */
const countedAre = (t: TestHost, kind: string, count: number, user = "cli:owner") =>
  expect.poll(() => t.slot(Store).limits.count(`anomaly:${kind}:${user}`, 60 * MINUTE)).toBe(count);
const alertsAre = (t: TestHost, results: readonly string[]) =>
  expect.poll(() => anomalies(t).map(({ result }) => result)).toEqual(results);
/**
 * The store works in order: what was asked of it before is done, and so is what followed from that.
 */
async function settled(t: TestHost): Promise<void> {
  for (let n = 0; n < 3; n++) await t.slot(Store).values.put("test", "settled", n);
}
const rowsOf = (t: TestHost) => t.slot(Checks).get("guard-anomaly")!.run(new AbortController().signal);
async function does(t: TestHost, command: string, times = 1, user = "cli:owner"): Promise<void> {
  for (let n = 0; n < times; n++) await t.call("sayso", { command }, { user, session: "s1" });
}

test("SEC-10: a blocked command raises an alert, in the audit and in the log, once an hour for the same command", async () => {
  await using t = await start();
  await does(t, "blocked", 3);
  expect(anomalies(t)).toEqual([
    {
      timestamp: new Date(NOW).toISOString(),
      event_type: "anomaly",
      tool: "sayso",
      args: {
        anomaly: "blocked_command",
        code: "COMMAND_BLOCKED",
        command: "blocked",
        reason: "No (COMMAND_BLOCKED).",
      },
      result: "alert: blocked_command",
      user: "cli:owner",
      session_id: "s1",
    },
  ]);
  expect(t.logs.filter(({ message }) => message.startsWith("Anomaly:"))).toMatchObject([
    { level: "warn", message: "Anomaly: a command of cli:owner was blocked (COMMAND_BLOCKED)." },
  ]);
  await does(t, "blocked too");
  await does(t, "blocked", 1, "chatapp:+15550100");
  expect(anomalies(t)).toHaveLength(3);
  at(59 * MINUTE);
  await does(t, "blocked");
  expect(anomalies(t)).toHaveLength(3);
  at(60 * MINUTE);
  await does(t, "blocked");
  expect(anomalies(t)).toHaveLength(4);
});

test("SEC-10: with alert_on_blocked_command false, or enabled false, a blocked command raises none", async () => {
  for (const config of [
    { alert_on_blocked_command: false },
    { enabled: false, max_failed_commands_per_hour: 0 },
  ]) {
    await using t = await start(config);
    await does(t, "blocked");
    expect(anomalies(t)).toEqual([]);
  }
  await using off = await start({
    enabled: false,
    max_failed_commands_per_hour: 0,
    max_sensitive_file_access_per_hour: 0,
  });
  await does(off, "fail", 3);
  await does(off, "outside", 3);
  await does(off, "wall");
  expect(anomalies(off)).toEqual([]);
});

test("SEC-10: more failed commands than max_failed_commands_per_hour raise one alert per hour", async () => {
  await using t = await start({ max_failed_commands_per_hour: 3 });
  await does(t, "fail", 2);
  await does(t, "throw");
  await does(t, "ok", 5);
  await countedAre(t, "failed_commands", 3);
  expect(anomalies(t)).toEqual([]);
  await does(t, "fail", 4);
  await alertsAre(t, ["alert: failed_commands"]);
  expect(anomalies(t)[0]).toMatchObject({
    args: { anomaly: "failed_commands", max_per_hour: 3 },
    user: "cli:owner",
    session_id: "s1",
  });
  await settled(t);
  expect(anomalies(t)).toHaveLength(1);
  at(61 * MINUTE);
  await does(t, "fail", 3);
  await countedAre(t, "failed_commands", 3);
  expect(anomalies(t)).toHaveLength(1);
  await does(t, "fail");
  await alertsAre(t, ["alert: failed_commands", "alert: failed_commands"]);
});

test("SEC-10: a failure that ran no command, a refusal for another reason and a dry run count as nothing", async () => {
  await using t = await start({ max_failed_commands_per_hour: 0, max_sensitive_file_access_per_hour: 0 });
  await t.call("sayso", { command: "fail", quiet: true });
  await t.call("sayso", { command: 7 });
  await does(t, "other", 3);
  await t.explain("sayso", { command: "blocked" });
  await does(t, "fail");
  await alertsAre(t, ["alert: failed_commands"]);
  expect(anomalies(t)[0]).toMatchObject({ tool: "sayso", session_id: "s1" });
});

test("SEC-10: more attempts at closed files than max_sensitive_file_access_per_hour raise one alert, a wall's no included", async () => {
  await using t = await start({ max_sensitive_file_access_per_hour: 2 });
  await does(t, "outside");
  await does(t, "wall");
  await countedAre(t, "sensitive_file_access", 2);
  expect(anomalies(t)).toEqual([]);
  await does(t, "outside", 3);
  await alertsAre(t, ["alert: sensitive_file_access"]);
  expect(
    t.logs.some(({ message }) =>
      message.includes("cli:owner tried to reach closed or sensitive files more than 2 times"),
    ),
  ).toBe(true);
});

test("SEC-10: users are counted apart", async () => {
  await using t = await start({ max_failed_commands_per_hour: 1 });
  await does(t, "fail", 1, "chatapp:+1");
  await does(t, "fail", 1, "chatapp:+2");
  await countedAre(t, "failed_commands", 1, "chatapp:+1");
  await countedAre(t, "failed_commands", 1, "chatapp:+2");
  expect(anomalies(t)).toEqual([]);
  await does(t, "fail", 1, "chatapp:+2");
  await alertsAre(t, ["alert: failed_commands"]);
  expect(anomalies(t)[0]!.user).toBe("chatapp:+2");
});

test("SEC-10: what was counted and what was raised survive a restart", async () => {
  const configDir = await mkdtemp(join(tmpdir(), "gantry-anomaly-"));
  {
    await using t = await start({ max_failed_commands_per_hour: 2 }, configDir);
    await does(t, "blocked");
    await does(t, "fail", 2);
    await countedAre(t, "failed_commands", 2);
    expect(anomalies(t)).toHaveLength(1);
  }
  {
    await using t = await start({ max_failed_commands_per_hour: 2 }, configDir);
    await does(t, "blocked");
    await does(t, "fail");
    await alertsAre(t, ["alert: failed_commands"]);
  }
  await rm(configDir, { recursive: true });
});

test("SEC-10: status shows the alerts of the last hour, and says when nothing is watched for", async () => {
  await using t = await start();
  expect(await rowsOf(t)).toEqual([{ what: "anomalies", state: "ok", detail: "none in the last hour" }]);
  await does(t, "blocked");
  expect(await rowsOf(t)).toMatchObject([
    { state: "warn", detail: "blocked_command by cli:owner at 2026-01-01T12:00:00.000Z" },
  ]);
  at(60 * MINUTE);
  expect(await rowsOf(t)).toMatchObject([{ state: "ok" }]);
  await using off = await start({ enabled: false });
  expect(await rowsOf(off)).toMatchObject([{ state: "warn", detail: "not watched for" }]);
});
