import type { Audit } from "@gantry/sdk";
import { userAround } from "@gantry/sdk/node";
import type { Acceptable, Acceptables } from "../shared/accept-routes.ts";
import { acceptFound, isAsAccepted, serverCalled, takeBack } from "./acceptance.ts";
import { rowsOf } from "./checks.ts";
import { digestOf } from "./digest.ts";
import { errors } from "./errors.ts";
import type { McpServer } from "./server.ts";
import type { McpServers } from "./servers.ts";
import { changedLines, shownOffer } from "./shown.ts";

/** Returns the servers for whoever decides on them over HTTP; their ids are their names. */
export function serverAcceptables(servers: McpServers, audit: Audit): Acceptables {
  return {
    async all() {
      const rows = await rowsOf(servers, "status");
      const states = await Promise.all(servers.all.map(stateOf));
      return servers.all.map(({ name }, at) => {
        const detail = rows[at]?.detail ?? "";
        return { id: name, name, state: states[at] ?? "unreadable", detail };
      });
    },
    async look(id) {
      const server = serverCalled(id, servers.all);
      const found = await server.find();
      const accepted = await server.file.read();
      const isSame = accepted !== undefined && isAsAccepted(accepted, found);
      const changes = accepted && !isSame ? await changedLines(accepted, found) : undefined;
      return {
        state: accepted === undefined ? "not accepted" : isSame ? "accepted" : "changed",
        digest: digestOf(found),
        text: shownOffer(server, found).join("\n"),
        ...(changes && { changes: changes.join("\n") }),
      };
    },
    async accept(id, digest) {
      const server = serverCalled(id, servers.all);
      const found = await server.find();
      if (digestOf(found) !== digest) throw errors.MCP_OTHER(id);
      await acceptFound(audit, server, found, userAround());
    },
    withdraw: (id) => takeBack(audit, serverCalled(id, servers.all), userAround()),
  };
}

/** No server is started to know it. */
async function stateOf({ file }: McpServer): Promise<Acceptable["state"]> {
  try {
    const accepted = await file.read();
    if (!accepted) return "not accepted";
    const changed = await file.changed(accepted);
    if (changed === undefined) return "accepted";
    const { server, tools, prompts } = changed;
    return server || tools.length + prompts.length > 0 ? "changed" : "accepted";
  } catch {
    return "unreadable";
  }
}
