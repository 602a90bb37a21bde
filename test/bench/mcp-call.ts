import path from "node:path";
import { Commands, ToolCatalog } from "@gantry/sdk";
import { memoryStore, startTestHost, type TestHost } from "@gantry/sdk/testing";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import mcp from "../../plugins/mcp-client/index.ts";
import sandbox from "../../plugins/sandbox-landlock/index.ts";
import { median } from "./processes.ts";
import { atMost, type Row } from "./row.ts";

const calls = 300;
const server = path.join(import.meta.dirname, "../../plugins/mcp-client/server.test-kit.js");

/** Measures a tool of an MCP server behind its walls against the official client without any. */
export async function mcpRows(): Promise<readonly Row[]> {
  const table = { command: process.execPath, args: [server], read_paths: [process.execPath, server] };
  const config = { mcp: { servers: { small: table } } };
  await using host = await startTestHost({ plugins: [mcp, memoryStore(), sandbox], config });
  await accepted(host);
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(new StdioClientTransport(table));
  try {
    const ours = () => host.call("small_count", {});
    const theirs = () => client.callTool({ name: "count", arguments: {} });
    const times: [number[], number[]] = [[], []];
    for (let n = -20; n < calls; n += 1)
      for (const [i, call] of [ours, theirs].entries()) {
        const began = performance.now();
        await call();
        if (n >= 0) times[i]!.push(performance.now() - began);
      }
    const share = median(times[0]) - median(times[1]);
    return [atMost("the host's share of a call of an MCP tool", share, 2, " ms")];
  } finally {
    await client.close();
  }
}

/** Accepts the server, and waits until its tools are offered. */
async function accepted(host: TestHost): Promise<void> {
  await host
    .slot(Commands)
    .get("mcp accept")!
    .run({
      args: ["small"],
      options: { yes: true },
      out: () => {},
      err: (line) => process.stderr.write(`${line}\n`),
      interactive: false,
      signal: new AbortController().signal,
      serve: async () => 0,
    });
  const isOffered = async () =>
    (await host.slot(ToolCatalog).list()).some(({ name }) => name === "small_count");
  while (!(await isOffered())) await new Promise((resolve) => setTimeout(resolve, 50));
}
