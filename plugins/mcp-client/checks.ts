import type { CheckRow } from "@gantry/sdk";
import { asError } from "@gantry/sdk/node";
import type { McpServer } from "./server.ts";

const CHANGED = "changed after it was accepted";

/** Returns how servers stand, without asking them. To be ready, only those that changed count: their owner is told. */
export async function rowsOf(
  servers: readonly McpServer[],
  kind: "status" | "ready",
): Promise<readonly CheckRow[]> {
  const rows = await Promise.all(servers.map(rowOf));
  return kind === "status" ? rows : rows.filter(({ detail }) => detail.endsWith(CHANGED));
}

async function rowOf({ name, file }: McpServer): Promise<CheckRow> {
  const what = `MCP server ${name}`;
  try {
    const accepted = await file.read();
    if (!accepted)
      return { what, state: "warn", detail: "not accepted", cure: `run \`gantry mcp accept ${name}\`` };
    const changed = await file.changed(accepted);
    const some = [...(changed?.tools ?? []), ...(changed?.prompts ?? [])];
    if (changed?.server !== true && some.length === 0)
      return { what, state: "ok", detail: `${accepted.tools.length} tools accepted` };
    const of = changed?.server === true ? "what starts it" : `${some.length} of its tools or prompts`;
    return { what, state: "warn", detail: `${of} ${CHANGED}`, cure: `run \`gantry mcp diff ${name}\`` };
  } catch (error) {
    return { what, state: "fail", detail: asError(error).message };
  }
}
