import type { Command } from "@gantry/sdk";
import type { AgentList } from "./agent-list.ts";
import { explain, linesOf } from "./explain.ts";

/** The word that says who answers somebody, and why. */
export function routeCommand(agents: AgentList): Command {
  return {
    name: "route explain",
    summary: "which agent answers somebody, and by which route",
    args: ["<channel:id>"],
    options: [
      { flags: "--conversation <id>", summary: "in this conversation; default: their direct one" },
      { flags: "--json", summary: "print JSON" },
    ],
    async run(run) {
      const [user = ""] = run.args;
      const conversation = run.options["conversation"];
      const given = conversation === undefined ? undefined : String(conversation);
      const { explained, routes } = await explain(agents, user, given);
      if (run.options["json"]) run.out(JSON.stringify(explained));
      else for (const line of linesOf(explained, routes)) run.out(line);
      return 0;
    },
  };
}
