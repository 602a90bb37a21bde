import type { ChatCommand } from "@gantry/sdk";
import type { AgentList } from "./agent-list.ts";
import { byRoutes, hint } from "./check.ts";

/** `/agent`: who answers in this conversation from now on. */
export function agentWord(agents: AgentList): ChatCommand {
  return {
    name: "agent",
    args: "[name]",
    summary: `which agent answers here; with a name, that one from now on; \`${byRoutes}\` for whom the routes name`,
    trust: "owner",
    may: "talk",
    async run({ args, conversation: { session } }) {
      const names = agents.list().map(({ name }) => name);
      if (args === "") return listed(names, await agents.chosen(session));
      if (args !== byRoutes && !names.includes(args)) return `There is no agent ${args}${hint(args, names)}.`;
      await agents.choose(session, args === byRoutes ? undefined : args);
      const who = args === byRoutes ? "whom the routes name" : args;
      return `From the next message on: ${who}, who reads nothing of what another agent was told.`;
    },
  };
}

function listed(names: readonly string[], chosen: string | undefined): string {
  const here = chosen === undefined ? "Whom the routes name answers here." : `${chosen} answers here.`;
  return `${here} There are: ${[...names, byRoutes].join(", ")}.`;
}
