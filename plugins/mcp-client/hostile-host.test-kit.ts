/**
 * A host in a process of its own with four servers, hostile or tame: uses them for some seconds and
 * tells the memory that it holds then, and its resident set then and at most, in MiB.
 */
import { setTimeout as delay } from "node:timers/promises";
import { bundledPlugin, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { Commands, ToolCatalog } from "@gantry/sdk";
import path from "node:path";
import { mcpClient } from "./plugin.ts";

const [configDir = "", states = "", isHostile = ""] = process.argv.slice(2);
const program = path.join(import.meta.dirname, "server.test-kit.js");
const command = process.execPath;
const names = ["texts", "many", "refs", "loud"];
const servers = Object.fromEntries(
  names.map((name) => {
    const env = isHostile && { SERVER_STATE: path.join(states, `${name}.json`), SERVER_NOISY: "1" };
    return [name, { command, args: [program], read_paths: [command, program, states], env: { ...env } }];
  }),
);
const t = await startTestHost({
  plugins: [mcpClient(), memoryStore(), await bundledPlugin("sandbox-landlock")],
  config: { mcp: { servers } },
  configDir,
});
const said = (): void => {};
const { signal } = new AbortController();
const run = { options: { yes: true }, out: said, err: said, interactive: false, signal };
const word = t.slot(Commands).get("mcp accept")!;
for (const name of names)
  await word.run({ ...run, args: [name], serve: async () => 0 }).catch((error: Error) => error);
const call = (tool: string) => t.call(tool, {}, { approvals: "yes" }).catch((error: Error) => error);
for (let i = 0; i < 25; i += 1) {
  await t.slot(ToolCatalog).list();
  if (i % 5 === 0) for (const name of names) await call(`${name}_${isHostile ? "shout" : "count"}`);
  await delay(200);
}
const offered = (await t.slot(ToolCatalog).list()).map(({ name }) => name);
// Twice, since what the first leaves to finalizers goes with the second.
for (let i = 0; i < 2; i += 1) global.gc?.();
const { heapUsed, external, rss } = process.memoryUsage();
const peak = process.resourceUsage().maxRSS * 1_024;
const told = { held: heapUsed + external, rss, peak };
const figures = Object.entries(told).map(([name, bytes]) => [name, bytes / 1_048_576]);
process.stdout.write(JSON.stringify({ ...Object.fromEntries(figures), offered }));
process.exit(0);
