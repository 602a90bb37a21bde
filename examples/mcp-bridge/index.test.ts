import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ToolCatalog } from "@gantry/sdk";
import { bundledPlugin, checkPlugin, fakeProvider, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import plugin from "./index.ts";

const server = path.join(import.meta.dirname, "server.test-kit.js");
const config = {
  plugins_config: { "mcp-bridge": { command: [process.execPath, server], read: [process.execPath, server] } },
};
const sandbox = await bundledPlugin("sandbox-landlock");
const yes = { approvals: "yes" } as const;

test.runIf(process.platform === "linux")(
  "SDK-09: the tools of a server behind the walls are offered as it lists them, and it reads nothing but what it may",
  async () => {
    const outside = mkdtempSync("/var/tmp/gantry-mcp-");
    try {
      writeFileSync(path.join(outside, "secret"), "the secret");
      await using t = await startTestHost({ plugins: [plugin, sandbox], config });
      const offered = async () => (await t.slot(ToolCatalog).list()).map(({ name }) => name);
      expect(await offered()).toEqual(["learn", "leave", "peek"]);
      expect(await t.call("peek", { path: path.join(outside, "secret") }, yes)).toMatchObject({
        text: expect.stringMatching(/^E(?:ACCES|NOENT|PERM)$/) as string,
      });
      expect(await t.call("peek", { path: server }, yes)).toMatchObject({
        text: expect.stringContaining("A small MCP server") as string,
      });
      expect(await t.call("peek", { where: "there" }, yes)).toMatchObject({ code: "TOOL_BAD_ARGS" });
      expect(await t.call("learn", {}, yes)).toMatchObject({ text: "learnt" });
      await expect.poll(offered).toEqual(["learn", "leave", "peek", "sing"]);
      expect(await t.call("sing", {}, yes)).toMatchObject({ text: "la" });
      expect(await t.call("leave", {}, yes)).toMatchObject({
        text: expect.stringContaining("the server has ended (exited)") as string,
      });
      await expect.poll(offered).toEqual(["learn", "leave", "peek"]);
    } finally {
      rmSync(outside, { recursive: true });
    }
  },
  60_000,
);

test.runIf(process.platform === "linux")(
  "SDK-19: with tool-index the tools of a server are found by words and called by name, and none is sent",
  async () => {
    const found = { calls: [{ name: "tool_search", args: { query: "learn" } }] };
    const learn = { calls: [{ name: "tool_call", args: { tool: "learn", args: {} } }] };
    const model = fakeProvider([found, learn, "done"]);
    const plugins = [plugin, sandbox, await bundledPlugin("tool-index"), model];
    await using t = await startTestHost({ plugins, config });
    const { tool_calls } = await t.ask("go", yes);
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["tool_call", "tool_search"]);
    expect(tool_calls.map(({ tool }) => tool)).toEqual(["tool_search", "learn"]);
    expect(JSON.stringify(model.requests[2]?.messages.at(-1))).toContain("learnt");
  },
  60_000,
);

test.runIf(process.platform === "linux")(
  "SDK-05: the bridge and the tools of its server keep to their contract, with a server and without one",
  async () => {
    for (const keys of [{}, { config }])
      expect((await checkPlugin({ plugin, with: [sandbox], patienceMs: 45_000, ...keys })).findings).toEqual(
        [],
      );
  },
  120_000,
);
