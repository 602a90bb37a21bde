import { Checks, type Tool } from "@gantry/sdk";
import { ToolCatalog } from "@gantry/sdk";
import { expect, test } from "vitest";
import { linux, startIsolated, toolCode, toolFacts, until, written } from "./isolated.test-kit.ts";

const timeout = 180_000;

test.runIf(linux)("ISO-01: a tool answers from a process of its own", { timeout }, async () => {
  const code = toolCode("return `${args.what} in ${process.pid}`;", "globalThis.wasImported = true;");
  await using t = await startIsolated(written(toolFacts, code));
  const { decision, text } = await t.call("tried", { what: "done" });
  expect(decision).toBe("allowed");
  expect(text).toMatch(/^done in \d+$/);
  expect(text).not.toBe(`done in ${process.pid}`);
  expect(globalThis).not.toHaveProperty("wasImported");
});

test.runIf(linux)(
  "ISO-01: what an isolated tool asks of its call is asked of the service",
  { timeout },
  async () => {
    const body = `
    if (args.what === "within") return \`inner \${await call("tried", { what: "said" })}\`;
    if (args.what === "wait") return new Promise((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason)));
    if (args.what === "check") await check({ paths: [{ path: "/etc/shadow", access: "read" }] });
    return args.what;`;
    const guards = await import("@gantry/sdk/testing").then(({ bundledPlugin }) =>
      Promise.all(["guard-paths"].map((name) => bundledPlugin(name))),
    );
    await using t = await startIsolated(written(toolFacts, toolCode(body)), { plugins: guards });
    expect((await t.call("tried", { what: "within" })).text).toBe("inner said");
    expect(await t.call("tried", { what: "check" })).toMatchObject({
      text: expect.stringMatching(/PATH_OUTSIDE|outside/),
    });
    const waits = t.call("tried", { what: "wait" }, { signal: AbortSignal.timeout(200) });
    expect((await waits).decision).toBe("failed");
  },
);

test.runIf(linux)(
  "ISO-01: a tool whose process ends fails, and the process is started again",
  { timeout },
  async () => {
    const body = `if (args.what === "exit") process.exit(7); return String(process.pid);`;
    await using t = await startIsolated(written(toolFacts, toolCode(body)), { bounds: { backoffMs: 10 } });
    const before = await t.call("tried", { what: "pid" });
    const ended = await t.call("tried", { what: "exit" });
    expect(ended).toMatchObject({ decision: "failed", text: expect.stringContaining("exit code 7") });
    const rows = () => t.slot(Checks).get("isolated-tried-status")!.run(new AbortController().signal);
    expect(await rows()).toMatchObject([
      { what: "plugin tried", state: "fail", detail: expect.stringContaining("exit code 7") },
    ]);
    await until(async () => (await rows())[0]!.state === "ok");
    expect((await rows())[0]!.detail).toContain("started 2 times");
    expect((await t.call("tried", { what: "pid" })).decision).toBe("allowed");
    expect(before.decision).toBe("allowed");
    expect(t.logs.filter(({ level }) => level === "warn").map(({ detail }) => detail["code"])).toContain(
      "ISOLATED_ENDED",
    );
  },
);

test.runIf(linux)(
  "ISO-01: a process that comes back with another tool offers that one alone",
  { timeout },
  async () => {
    // Its files go with the process, so the time tells which one it is.
    const name = `"at_" + Math.floor(performance.timeOrigin)`;
    const file = written(toolFacts, toolCode("process.exit(1)").replace('name: "tried"', `name: ${name}`));
    await using t = await startIsolated(file, { bounds: { backoffMs: 10 } });
    const names = async () => (await t.slot(ToolCatalog).list()).map((tool: Pick<Tool, "name">) => tool.name);
    const [first] = await names();
    await t.call(first!, {});
    await until(async () => (await names())[0] !== first);
    expect(await names()).toHaveLength(1);
  },
);

test.runIf(linux)(
  "ISO-01: a plugin that is stopped is disposed in its process first",
  { timeout },
  async () => {
    const code = toolCode("return args.what;").replace(
      "setup(host) {",
      '$& host.onDispose(() => { host.log.info({}, "disposed"); });',
    );
    const t = await startIsolated(written(toolFacts, code));
    await t.stop();
    expect(t.logs.map(({ message }) => message)).toContain("disposed");
  },
);
