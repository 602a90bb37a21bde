import { readFileSync, realpathSync } from "node:fs";
import { expect, test } from "vitest";
import { gantry, tempDir } from "../../test/helpers/cli.ts";
import { linux, serverFile } from "./mcp.test-kit.ts";

const node = realpathSync(process.execPath);

test.runIf(linux)(
  "MCP-01: from nothing a server is added, accepted, called and removed by words",
  async () => {
    using home = tempDir();
    const run = (...args: readonly string[]) => gantry(args, { dir: home.dir });
    const line = ["--read", node, "--read", serverFile, "--env", "A=b", "--", node, serverFile, "--flag"];
    expect(await run("mcp", "add", "small", ...line)).toMatchObject({ code: 0 });
    expect(readFileSync(home.file, "utf8")).toContain('[mcp.servers.small]\ncommand = "');
    expect((await run("mcp", "list")).out).toContain("small  not accepted");
    expect(await run("mcp", "accept", "small")).toMatchObject({
      code: 3,
      err: expect.stringContaining("[MCP_NOT_CONFIRMED]") as string,
    });
    expect(await run("mcp", "accept", "small", "--yes")).toMatchObject({ code: 0 });
    expect((await run("status")).out).toMatch(/MCP server small +11 tools accepted/);
    expect(await run("tools", "call", "small_learn", "{}")).toMatchObject({ code: 3 });
    expect(await run("tools", "call", "small_learn", "{}", "--yes")).toMatchObject({
      code: 0,
      out: "learnt\n",
    });
    expect(await run("mcp", "add", "small", "https://example.com/mcp")).toMatchObject({
      code: 2,
      err: expect.stringContaining("[MCP_EXISTS]") as string,
    });
    expect(await run("mcp", "remove", "small")).toMatchObject({ code: 0 });
    expect(readFileSync(home.file, "utf8").trim()).toBe("");
    expect((await run("mcp", "remove", "small")).err).toContain("[MCP_UNKNOWN]");
  },
);

test("MCP-01: an address and headers are written as such, and a bad name or pair is refused", async () => {
  using home = tempDir("# mine\n");
  const run = (...args: readonly string[]) => gantry(args, { dir: home.dir });
  await run("mcp", "add", "far", "https://example.com/mcp", "--header", "Authorization=Bearer ${TOKEN}");
  expect(readFileSync(home.file, "utf8")).toContain(
    '[mcp.servers.far]\nurl = "https://example.com/mcp"\nheaders = { Authorization = "Bearer ${TOKEN}" }\n',
  );
  expect((await run("mcp", "add", "a b", "x")).err).toContain("[MCP_CONFIG]");
  expect((await run("mcp", "add", "other", "x", "--env", "novalue")).err).toContain("[MCP_PAIR]");
});

test("MCP-01: the words of mcp are there also where extra_plugins names their plugin", async () => {
  using home = tempDir('extra_plugins = ["mcp-client"]\n');
  expect(await gantry(["mcp", "list"], { dir: home.dir })).toMatchObject({ code: 0 });
});
