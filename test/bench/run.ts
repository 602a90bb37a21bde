import { parseArgs } from "node:util";
import { consoleRows } from "./console-load.ts";
import { conversationCostRows } from "./conversation-cost.ts";
import { conversationRows } from "./conversations.ts";
import { gatewayRows } from "./gateway.ts";
import { growthRows } from "./growth.ts";
import { guardRows } from "./guards.ts";
import { isolatedRows } from "./isolated.ts";
import { jobRows } from "./jobs.ts";
import { mcpRows } from "./mcp-call.ts";
import { nodeRows } from "./nodes.ts";
import type { Row } from "./row.ts";
import { runRows } from "./runs.ts";
import { sandboxRows } from "./sandbox.ts";
import { searchRows } from "./search.ts";
import { startUpRows } from "./start-up.ts";
import { storeRows } from "./store.ts";
import { streamRows } from "./streams.ts";
import { weekRows } from "./week.ts";

const parts: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  console: consoleRows,
  "conversation-cost": conversationCostRows,
  conversations: conversationRows,
  gateway: gatewayRows,
  growth: growthRows,
  guards: guardRows,
  isolated: isolatedRows,
  jobs: jobRows,
  mcp: mcpRows,
  nodes: nodeRows,
  runs: runRows,
  sandbox: sandboxRows,
  search: searchRows,
  "start-up": startUpRows,
  store: storeRows,
  streams: streamRows,
  week: weekRows,
};

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { against: { type: "string" } },
});
if (values.against) {
  const { compare } = await import("./against.ts");
  await compare(values.against, wanted);
  process.exit();
}

let missed = 0;
for (const [name, rows] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for (const { what, goal, measured, met } of await rows()) {
    missed += met ? 0 : 1;
    process.stdout.write(`${met ? "met   " : "MISSED"} ${name.padEnd(13)} ${what}: ${measured} (${goal})\n`);
  }
}
process.exitCode = missed > 0 ? 1 : 0;
