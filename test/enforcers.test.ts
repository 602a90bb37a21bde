import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Commands, Policy, type CheckRow, type CommandContext, type Plugin } from "@gantry/sdk";
import { bundledPlugins } from "../host/plugins/bundled.ts";
import { leaves } from "../host/cli/config/leaves.ts";
import { hostEnforces } from "../host/config/host-keys.ts";
import type { Host } from "../host/host.ts";
import { Installation } from "../host/cli/installation.ts";
import { gantry, tempDir } from "./helpers/cli.ts";

/** The plugins that a host needs so that `shell` and `file_write` can run at all. */
const tools = ["provider-demo", "tool-files", "tool-shell", "sandbox-landlock", "store-sqlite"];
const base = [...tools, "command-doctor"];
const unguarded = `plugins = ${JSON.stringify(base)}\n`;
const levels = ["supervised", "semi-autonomous", "autonomous"] as const;

async function startHost(dir: string, toml: string): Promise<Host> {
  return new Installation(dir).start(() => {}, { debug: false }, toml);
}

async function statusOf(host: Host): Promise<readonly CheckRow[]> {
  const lines: string[] = [];
  const run: CommandContext = {
    args: [],
    options: { json: true },
    out: (line) => void lines.push(line),
    err: () => {},
    interactive: false,
    signal: new AbortController().signal,
    serve: async () => 0,
  };
  await host.get(Commands)?.get("status")?.run(run);
  return (JSON.parse(lines[0] ?? "{}") as { rows: readonly CheckRow[] }).rows;
}

function callOf(host: Host, tool: string, args: object) {
  const signal = AbortSignal.timeout(45_000);
  const whose = { session: "test", user: "cli:test", signal, approvals: "none" as const };
  return host.calls.run({ ...whose, tool, args });
}

test.for(levels)("FLR-21: without a guard of the level no call runs at %s", async (level) => {
  using home = tempDir(`${unguarded}[agent]\nautonomy_level = "${level}"\n`);
  const ran = path.join(home.dir, "workspace", "ran");
  const ended = await gantry(["tools", "call", "shell", '{"command":"touch ran"}'], home);
  expect(ended.code).toBe(3);
  expect(ended.err).toContain("AUTONOMY_UNENFORCED");
  expect(existsSync(ran)).toBe(false);
});

test("FLR-21: without a guard of the level the model is offered no tool", async () => {
  using home = tempDir(unguarded);
  const { out, err } = await gantry(["tools", "list", "--json"], home);
  expect(JSON.parse(out)).toEqual([]);
  expect(err).toContain('add "guard-autonomy" to `plugins`');
});

test("FLR-21: policy explain says that a call without a guard of the level is refused", async () => {
  using home = tempDir(unguarded);
  const { out } = await gantry(["policy", "explain", "shell", '{"command":"ls"}'], home);
  expect(out).toContain("AUTONOMY_UNENFORCED");
});

test("FLR-21: status names the level as failed if no loaded plugin enforces it", async () => {
  using home = tempDir(`${unguarded}[agent]\nautonomy_level = "supervised"\n`);
  const { out } = await gantry(["status", "--json"], home);
  const { ok, rows } = JSON.parse(out) as { ok: boolean; rows: readonly CheckRow[] };
  expect(ok).toBe(false);
  expect(rows.find(({ what }) => what === "autonomy")).toMatchObject({ state: "fail" });
});

test("FLR-21: a guard left out by without_plugins is a failed row of status with its keys", async () => {
  using home = tempDir('without_plugins = ["guard-paths", "audit-file"]\n');
  const { out } = await gantry(["status"], home);
  expect(out).toMatch(/✘ guard-paths\s+not loaded, so nothing enforces security\.blocked_paths/);
  expect(out).toMatch(/✘ audit-file\s+not loaded, so nothing enforces security\.audit\.enabled/);
});

test("FLR-21: status says which of two lists leaves a guard out", async () => {
  using left = tempDir('without_plugins = ["guard-flow"]\n');
  expect((await gantry(["status"], left)).out).toContain('take "guard-flow" out of `without_plugins`');
  using listed = tempDir(unguarded);
  expect((await gantry(["status"], listed)).out).toContain('add "guard-flow" to `plugins`');
});

test("FLR-21: a security key without a loaded enforcer stops the start and names the plugin", async () => {
  using home = tempDir(
    'without_plugins = ["guard-paths"]\n[security]\nblocked_paths = ["/srv"]\nsecret_files = [".x"]\n',
  );
  const { code, err } = await gantry(["agent", "-m", "hi"], home);
  expect(code).toBe(2);
  expect(err).toContain(
    "line 3: no loaded plugin enforces `security.blocked_paths`, but guard-paths would: " +
      'take "guard-paths" out of `without_plugins`, or take this out of the file. [CONFIG_UNENFORCED]',
  );
  expect(err).toContain("line 4: no loaded plugin enforces `security.secret_files`");
});

test("FLR-21: a listed set of plugins without the enforcer of a security key stops the start", async () => {
  using home = tempDir(`${unguarded}[security]\nblocked_commands = ["git"]\n`);
  const { code, err } = await gantry(["agent", "-m", "hi"], home);
  expect(code).toBe(2);
  expect(err).toContain('add "guard-commands" to `plugins`');
});

test("FLR-21: a plugin of one's own that enforces the level lets calls run", async () => {
  using home = tempDir(`plugins = ${JSON.stringify([...base, "./own.js"])}\n`);
  const guard = `export default { name: "own", sdk: 3, taps: ["beforeToolCall"], enforces: ["agent.autonomy_level"],
    setup: (host) => host.hooks.beforeToolCall.tap(() => undefined) };`;
  writeFileSync(path.join(home.dir, "own.js"), guard, { mode: 0o600 });
  const ended = await gantry(["tools", "call", "shell", '{"command":"echo it ran"}'], home);
  expect(ended).toMatchObject({ code: 0, out: expect.stringContaining("it ran") as string });
});

test("FLR-21: a plugin that states the level and never taps enforces nothing", async () => {
  using home = tempDir(`plugins = ${JSON.stringify([...base, "./idle.js"])}\n`);
  const idle = `export default { name: "idle", sdk: 3, taps: ["beforeToolCall"],
    enforces: ["agent.autonomy_level"], setup() {} };`;
  writeFileSync(path.join(home.dir, "idle.js"), idle, { mode: 0o600 });
  const ended = await gantry(["tools", "call", "shell", '{"command":"echo it ran"}'], home);
  expect(ended).toMatchObject({ code: 3, err: expect.stringContaining("AUTONOMY_UNENFORCED") as string });
});

test.each([
  ["it enforces agent.autonomy_level without beforeToolCall in taps", '["agent.autonomy_level"]'],
  ["enforces must be a list of dotted keys", "[1]"],
])("FLR-21: a manifest is refused if %s", async (why, enforces) => {
  using home = tempDir('extra_plugins = ["./bad.js"]\n');
  const bad = `export default { name: "bad", sdk: 3, enforces: ${enforces}, setup() {} };`;
  writeFileSync(path.join(home.dir, "bad.js"), bad, { mode: 0o600 });
  const { code, err } = await gantry(["agent", "-m", "hi"], home);
  expect(code).toBe(2);
  expect(err).toContain(why);
});

test("FLR-21: a plugin that enforces a key cannot be an optional one", async () => {
  using home = tempDir('optional_plugins = ["./soft.js"]\n');
  const soft = `export default { name: "soft", sdk: 3, enforces: ["security.redact_pii"], setup() {} };`;
  writeFileSync(path.join(home.dir, "soft.js"), soft, { mode: 0o600 });
  const { code, err } = await gantry(["agent", "-m", "hi"], home);
  expect(code).toBe(2);
  expect(err).toContain("guards (it enforces security.redact_pii), so the service must not start without");
});

test("FLR-21: each key of [security] has an enforcer that comes with Gantry", async () => {
  using home = tempDir();
  const installation = new Installation(home.dir);
  const plugins = await installation.allBundled();
  const enforced = new Set([...hostEnforces, ...plugins.flatMap(({ enforces = [] }) => enforces)]);
  const keys = [...leaves(await installation.wholeSchema())].map(({ key }) => key);
  expect(keys.filter((key) => key.startsWith("security.") && !enforced.has(key))).toEqual([]);
  expect([...enforced].filter((key) => !keys.includes(key))).toEqual([]);
});

test("FLR-21: over random sets of plugins no call runs that the level forbids, and status is true", async () => {
  const others = (await bundledPlugins())
    .filter((plugin) => plugin.base && !base.includes(plugin.name))
    .map(({ name }) => name);
  using anywhere = tempDir();
  const known = await new Installation(anywhere.dir).allBundled();
  const sets = fc.tuple(fc.subarray(others), fc.constantFrom(...levels));
  let started = 0;
  await fc.assert(
    fc.asyncProperty(sets, async ([some, level]) => {
      using home = tempDir();
      const list = [...base, ...some];
      const toml = `plugins = ${JSON.stringify(list)}\n[agent]\nautonomy_level = "${level}"\n`;
      const host = await startHost(home.dir, toml).catch(() => undefined);
      // A set that lacks a slot does not start, and so runs nothing.
      if (host === undefined) return;
      started += 1;
      try {
        await checkSet(host, { list, level, known });
      } finally {
        await host.stop();
      }
    }),
    { numRuns: process.env["GANTRY_LONG"] ? 500 : 20 },
  );
  expect(started).toBeGreaterThan(5);
});

interface Chosen {
  readonly list: readonly string[];
  readonly level: (typeof levels)[number];
  readonly known: readonly Plugin[];
}

async function checkSet(host: Host, { list, level, known }: Chosen): Promise<void> {
  const guarded = list.includes("guard-autonomy");
  const calls = [
    await callOf(host, "shell", { command: "echo ran" }),
    await callOf(host, "file_write", { path: "a", content: "b" }),
  ];
  const ran = calls.filter(({ decision }) => decision !== "refused");
  expect(guarded && level === "autonomous" ? [] : ran).toEqual([]);
  expect((await host.tools.offered({})).length > 0).toBe(guarded);

  const { keys } = (await host.get(Policy)?.enforcement?.()) ?? { keys: new Map<string, never>() };
  const failed = (await statusOf(host)).filter(({ state }) => state === "fail");
  const told = failed.map(({ detail }) => detail).join("\n");
  const open = known
    .filter(({ name }) => !list.includes(name))
    .flatMap(({ enforces = [] }) => enforces as readonly string[]);
  expect(open.filter((key) => keys.has(key) || !told.includes(key))).toEqual([]);
}
