import {
  Agents,
  ChatCommands,
  Commands,
  ConfigFile,
  definePlugin,
  optional,
  People,
  PromptParts,
  Runtime,
  Store,
} from "@gantry/sdk";
import { instructionsText } from "../shared/instructions-text.ts";
import { AgentList } from "./agent-list.ts";
import { agentWord } from "./agent-word.ts";
import { checkTables } from "./check.ts";
import { config } from "./config.ts";
import { errors } from "./errors.ts";
import { routeCommand } from "./route-command.ts";
import { readRoutes } from "./routes.ts";

/** Returns the names of the channels that are loaded, by the names of their plugins. */
function channelsIn({ plugins }: Runtime): readonly string[] {
  const filling = plugins.filter(({ name }) => name.startsWith("channel-"));
  return filling.map(({ name }) => name.slice("channel-".length));
}

/** Characters of an agent's instructions that are shown to the model. */
const budget = 32 * 1024;

export default definePlugin({
  name: "agent-routes",
  summary: "Several agents, and which of them answers whom; /agent and `route explain`.",
  table: "",
  config,
  needs: {
    file: ConfigFile,
    people: People,
    runtime: Runtime,
    store: optional(Store),
  },
  provides: [Agents, ChatCommands, Commands, PromptParts],
  errors,
  setup(host) {
    const { file, people, runtime, store } = host.needs;
    const { configDir, workspace } = runtime;
    const routes = readRoutes(host.config.routes);
    checkTables(host.config, routes, {
      workspace,
      people: Object.keys((file.get("people") ?? {}) as object),
      channels: channelsIn(runtime),
    });
    const values = () => store?.values;
    const agents = new AgentList({ config: host.config, routes, people, values, workspace });
    host.provide(Agents, agents);
    host.provide(ChatCommands, agentWord(agents));
    host.provide(Commands, routeCommand(agents));
    host.provide(PromptParts, {
      name: "agent-instructions",
      order: 15,
      budget,
      async text({ agent = "" }) {
        const { instructions } = host.config.agents[agent] ?? {};
        return instructions && instructionsText(instructions, configDir, errors.AGENT_INSTRUCTIONS);
      },
    });
    host.onReady(() => agents.makeFolders());
  },
});
