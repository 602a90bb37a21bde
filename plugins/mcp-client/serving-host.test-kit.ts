/**
 * A host in a process of its own, to be killed by a test: holds a server that is in the middle of a
 * call.
 */
import { bundledPlugin, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { Commands } from "@gantry/sdk";
import path from "node:path";
import { mcpClient } from "./plugin.ts";

const [configDir = "", mark = ""] = process.argv.slice(2);
const program = path.join(import.meta.dirname, "server.test-kit.js");
const command = process.execPath;
const servers = { small: { command, args: [program, mark], read_paths: [command, program] } };
const t = await startTestHost({
  plugins: [mcpClient(), memoryStore(), await bundledPlugin("sandbox-landlock")],
  config: { mcp: { servers } },
  configDir,
});
const said = (): void => {};
const { signal } = new AbortController();
const run = { args: ["small"], options: { yes: true }, out: said, err: said, interactive: false, signal };
await t
  .slot(Commands)
  .get("mcp accept")!
  .run({ ...run, serve: async () => 0 });
void t.call("small_wait", {}, { approvals: "yes" });
process.stdout.write("calling\n");
