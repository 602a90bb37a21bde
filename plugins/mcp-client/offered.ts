import { defineTool, type Tool } from "@gantry/sdk";
import { printable } from "@gantry/sdk/node";
import type { Accepted, Changed } from "./accepted.ts";
import { cleaned } from "./clean-text.ts";
import { MAX_ITEMS, type ListedTool } from "./listed.ts";
import { resourceTool } from "./resource-tool.ts";
import { checkedSchema } from "./schema-check.ts";
import type { McpServer } from "./server.ts";
import { statedEffects } from "./stated-effects.ts";

const MAX_DESCRIPTION = 2_048;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** A tool that is not offered, and why, as in "%s". */
export interface LeftOut {
  readonly tool: string;
  readonly why: string;
}

/** The state of the tools of one server. */
export interface Offer {
  readonly tools: readonly Tool[];
  readonly leftOut: readonly LeftOut[];
}

/**
 * Returns the tools of a server as the model is offered them: what was accepted, and of that what
 * has not changed.
 */
export function offerOf(server: McpServer, accepted: Accepted, changed: Changed | undefined): Offer {
  const tools: Tool[] = [];
  const leftOut: LeftOut[] = [];
  const counts = Map.groupBy(accepted.tools, ({ name }) => name);
  const isGone = changed?.server === true ? () => true : (name: string) => changed?.tools.includes(name);
  for (const listed of accepted.tools.slice(0, MAX_ITEMS)) {
    const made = isGone(listed.name)
      ? "it changed after it was accepted"
      : toolOf(server, listed, counts.get(listed.name)?.length ?? 0);
    if (typeof made !== "string") tools.push(made);
    else leftOut.push({ tool: printable(listed.name, 64), why: made });
  }
  if (accepted.resources && changed?.server !== true) {
    const reading = resourceTool(server);
    if (reading && tools.every(({ name }) => name !== reading.name)) tools.push(reading);
  }
  return { tools, leftOut };
}

/** Returns the tool, or why it is left out. */
function toolOf(server: McpServer, listed: ListedTool, count: number): Tool | string {
  const { settings } = server;
  const name = `${settings.name}_${listed.name}`;
  if (!NAME.test(listed.name) || !NAME.test(name))
    return `${printable(name, 100)} is no name of at most 64 letters, digits, _ and -`;
  if (count > 1) return "the server lists it twice";
  if (needsTask(listed)) return "it can be called as a task alone";
  const rule = settings.ruleFor(listed.name);
  if (rule === "off") return `mcp.servers.${settings.name}.tools leaves it out`;
  const checked = checkedSchema(listed.inputSchema);
  if ("wrong" in checked) return checked.wrong;
  const about = cleaned(listed.description ?? listed.title ?? "", MAX_DESCRIPTION);
  const { destructiveHint } = Object(listed.annotations) as Record<string, unknown>;
  return defineTool({
    name,
    description: `From the MCP server ${settings.name}: ${about || listed.name}`,
    input: checked.schema,
    deferred: true,
    source: "mcp",
    timeoutMs: settings.timeoutMs,
    // Hints that make guards stricter, and nothing that the server claims to its favour.
    hints: { openWorld: true, ...(destructiveHint === true && { destructive: true }) },
    ...(rule === "allow" && { allowedBy: `mcp.servers.${settings.name}.tools.${listed.name}` }),
    offered: () => server.isAsAccepted(listed.name),
    effects: (args) => statedEffects(settings, checked.schema, args),
    run: (run) => server.call(listed, run),
  });
}

function needsTask({ execution }: ListedTool): boolean {
  return (Object(execution) as { taskSupport?: unknown }).taskSupport === "required";
}
