import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { homedir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { accept, folder, linux, offered, serverFile, small, startMcp } from "./mcp.test-kit.ts";

describe.runIf(linux)("a server of a program", () => {
  test("MCP-01: its tools are tools here, named after it, once they are accepted", async () => {
    await using t = await startMcp({ small: small() });
    expect(await offered(t)).toEqual([]);
    await accept(t, "small");
    await expect.poll(() => offered(t)).toContain("small_learn");
    expect(await t.call("small_learn", {}, { approvals: "yes" })).toMatchObject({
      decision: "approved",
      text: "learnt",
    });
  });
});
