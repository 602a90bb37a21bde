import type { CheckRow } from "@gantry/sdk";
import { asError } from "@gantry/sdk/node";
import type { McpServer } from "./server.ts";
import type { Clash, McpServers } from "./servers.ts";

const CHANGED = "changed after it was accepted";

/**
 * Returns how servers stand, without asking them. To be ready, only those that changed count: their
 * owner is told.
 */
export async function rowsOf(servers: McpServers, kind: "status" | "ready"): Promise<readonly CheckRow[]> {
  const clashes = await servers.clashes();
  const rows = await Promise.all(
    servers.all.map((one) =>
      rowOf(
        one,
        clashes.filter(({ server }) => server === one.name),
      ),
    ),
  );
  return kind === "status"
    ? rows
    : rows.filter(({ state, detail }) => state === "ok" || detail.endsWith(CHANGED));
}

async function rowOf({ name, file }: McpServer, clashes: readonly Clash[]): Promise<CheckRow> {
  const what = `MCP server ${name}`;
  try {
    const accepted = await file.read();
    if (!accepted)
      return { what, state: "warn", detail: "not accepted", cure: `run \`gantry mcp accept ${name}\`` };
    const changed = await file.changed(accepted);
    const some = [...(changed?.tools ?? []), ...(changed?.prompts ?? [])];
    if (changed?.server !== true && some.length === 0) {
      const detail = `${accepted.tools.length} tools accepted`;
      if (clashes.length === 0) return { what, state: "ok", detail };
      const left = clashes.map(clashText).join(", ");
      const cure = "give one of the two servers another name";
      return { what, state: "warn", detail: `${detail}, without ${left}`, cure };
    }
    const of = changed?.server === true ? "what starts it" : `${some.length} of its tools or prompts`;
    return { what, state: "warn", detail: `${of} ${CHANGED}`, cure: `run \`gantry mcp diff ${name}\`` };
  } catch (error) {
    return { what, state: "fail", detail: asError(error).message };
  }
}

function clashText({ kind, name, first }: Clash): string {
  return `the ${kind} ${name}, which ${first} has too`;
}
