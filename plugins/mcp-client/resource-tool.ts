import { defineTool, type Tool } from "@gantry/sdk";
import { Type } from "typebox";
import { cleaned } from "./clean-text.ts";
import { resourceParts } from "./results.ts";
import type { McpServer } from "./server.ts";
import { statedEffects } from "./stated-effects.ts";

const MAX_SHOWN = 200;
const MAX_LINE = 300;

/**
 * Returns the tool that lists and reads the resources of a server, unless the configuration leaves
 * `resource` out.
 */
export function resourceTool(server: McpServer): Tool | undefined {
  const { settings } = server;
  const rule = settings.ruleFor("resource");
  if (rule === "off") return undefined;
  const input = Type.Object({
    uri: Type.Optional(
      Type.String({ minLength: 1, maxLength: 4_096, description: "Its address; left out: list them." }),
    ),
  });
  return defineTool({
    name: `${settings.name}_resource`,
    description: `Lists the resources of the MCP server ${settings.name}, or reads one of them.`,
    input,
    deferred: true,
    source: "mcp",
    timeoutMs: settings.timeoutMs,
    hints: { openWorld: true },
    ...(rule === "allow" && { allowedBy: `mcp.servers.${settings.name}.tools.resource` }),
    effects: (args) => statedEffects(settings, input, args),
    run: async (run) => {
      const { uri } = run.args;
      if (uri === undefined) {
        const all = await server.listResources(run);
        const lines = all
          .slice(0, MAX_SHOWN)
          .map(({ uri: at, name, description = "" }) =>
            cleaned(`${at}  ${name}  ${description}`.replace(/\s+/g, " "), MAX_LINE),
          );
        return lines.join("\n") || "The server lists no resources.";
      }
      const { contents } = await server.readResource(uri, run);
      return { parts: await resourceParts(contents, server.keeping(run.user)), failed: false };
    },
  });
}
