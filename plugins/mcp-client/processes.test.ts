import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { accept, folder, linux, offered, serverFile, small, startMcp } from "./mcp.test-kit.ts";

const yes = { approvals: "yes" } as const;
const long = process.env["GANTRY_LONG"] !== undefined;

/** The processes whose command line holds a text that no other process has. */
function processesWith(text: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(text);
    } catch {
      return false;
    }
  });
}

let count = 0;
const mark = (): string => `mark-${process.pid}-${(count += 1)}`;
const marked = (name: string, keys: object = {}) => small({ args: [serverFile, name], ...keys });

describe.runIf(linux)("the process of a server", { timeout: long ? 3_600_000 : 600_000 }, () => {
  test("MCP-10: it starts with the first call, and is one for all conversations", async () => {
    const name = mark();
    const configDir = folder();
    {
      await using t = await startMcp({ small: marked(name) }, { configDir });
      await accept(t, "small");
    }
    expect(processesWith(name)).toEqual([]);
    await using t = await startMcp({ small: marked(name) }, { configDir });
    expect(await offered(t)).toContain("small_learn");
    expect(processesWith(name)).toEqual([]);
    const sessions = ["one", "two", "three"];
    await Promise.all(sessions.map((session) => t.call("small_walk", {}, { ...yes, session })));
    // The program, and nothing else of it.
    expect(processesWith(name)).toHaveLength(1);
  });

  test("MCP-10: nobody calls it for a while: it is stopped, and the next call starts it", async () => {
    const name = mark();
    await using t = await startMcp({ small: marked(name) }, { idleMs: 200 });
    await accept(t, "small");
    await expect.poll(() => processesWith(name)).toEqual([]);
    expect(await t.call("small_learn", {}, yes)).toMatchObject({ text: "learnt" });
    await expect.poll(() => processesWith(name)).toEqual([]);
  });

  test("MCP-10: it is stopped with the host", async () => {
    const name = mark();
    const t = await startMcp({ small: marked(name) });
    await accept(t, "small");
    expect(processesWith(name)).toHaveLength(1);
    await t.stop();
    expect(processesWith(name)).toEqual([]);
  });

  test("MCP-10: it ends in the middle of a call: the call fails, and the next one starts another", async () => {
    await using t = await startMcp({ small: small() });
    await accept(t, "small");
    expect(await t.call("small_leave", {}, yes)).toMatchObject({ decision: "failed", code: "MCP_FAILED" });
    expect(await t.call("small_learn", {}, yes)).toMatchObject({ text: "learnt" });
  });

  test("MCP-10: a program that does not start says why, and is not started again at once", async () => {
    const starts = path.join(folder(), "starts");
    const program = `require("fs").appendFileSync(${JSON.stringify(starts)}, "x"); throw "no such thing"`;
    const broken = small({ args: ["-e", program], write_paths: [path.dirname(starts)] });
    await using t = await startMcp({ broken });
    const failure = { code: "MCP_FAILED", message: expect.stringContaining("no such thing") as string };
    await expect(accept(t, "broken")).rejects.toMatchObject(failure);
    const before = readFileSync(starts, "utf8");
    await expect(accept(t, "broken")).rejects.toMatchObject(failure);
    expect(readFileSync(starts, "utf8")).toBe(before);
  });

  test(`MCP-10: ${long ? 100 : 3} times kill -9 of the host: no server is left`, async () => {
    const kit = path.join(import.meta.dirname, "serving-host.test-kit.ts");
    const configDir = folder();
    for (let i = 0; i < (long ? 100 : 3); i += 1) {
      const name = mark();
      const args = ["--conditions=gantry-source", kit, configDir, name];
      const host = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      await once(host.stdout, "data");
      expect(processesWith(name).length).toBeGreaterThan(1);
      host.kill("SIGKILL");
      await once(host, "exit");
      await expect.poll(() => processesWith(name)).toEqual([]);
    }
  });
});
