import {
  Agents,
  ChatCommands,
  Checks,
  Commands,
  ConfigFile,
  definePlugin,
  optional,
  People,
  PromptParts,
  Routes,
  Runtime,
  Store,
  ToolCatalog,
  type CheckRow,
  type PromptPart,
} from "@gantry/sdk";
import { instructionsText, type InstructionPlaces } from "../shared/instructions-text.ts";
import { AgentList } from "./agent-list.ts";
import { agentWord } from "./agent-word.ts";
import { agentsOverHttp } from "./agents-over-http.ts";
import { checkTables } from "./check.ts";
import { config, type Config } from "./config.ts";
import { errors } from "./errors.ts";
import { routeCommand } from "./route-command.ts";
import { readRoutes } from "./routes.ts";

/** Characters of an agent's instructions that are shown to the model. */
const budget = 32 * 1024;

/** Returns the names of the channels that are loaded, by the names of their plugins. */
function channelsIn({ plugins }: Runtime): readonly string[] {
  const filling = plugins.filter(({ name }) => name.startsWith("channel-"));
  return filling.map(({ name }) => name.slice("channel-".length));
}

const faults = { unreadable: errors.AGENT_INSTRUCTIONS, closed: errors.AGENT_CLOSED };

/** Returns the part of the prompt with the instructions of the agent of a turn. */
function instructionsPart({ agents }: Config, places: InstructionPlaces): PromptPart {
  return {
    name: "agent-instructions",
    order: 15,
    budget,
    async text({ agent = "" }) {
      const { instructions } = agents[agent] ?? {};
      return instructions && instructionsText(instructions, places, faults);
    },
  };
}

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
    tools: ToolCatalog,
  },
  provides: [Agents, ChatCommands, Checks, Commands, PromptParts, Routes],
  errors,
  setup(host) {
    const { file, people, runtime, store, tools } = host.needs;
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
    for (const route of agentsOverHttp(agents, routes)) host.provide(Routes, route);
    const { secret_files, blocked_paths } = host.config.security;
    const places = { configDir, secret: secret_files, blocked: blocked_paths };
    host.provide(PromptParts, instructionsPart(host.config, places));
    const wrongTools = async (): Promise<readonly CheckRow[]> => {
      const { unknownTools } = await import("./check-tools.ts");
      const offered = (await tools.list()).map(({ name }) => name);
      return unknownTools(agents.list(), offered);
    };
    host.provide(Checks, { name: "agents", kind: "status", run: wrongTools });
    const warn = ({ detail, cure }: CheckRow): void => host.log.warn({}, `${detail}: ${cure}.`);
    // A source of tools may take its time, and nobody waits for it here.
    host.onServe(() => {
      const told = wrongTools().then((rows) => rows.forEach(warn));
      void told.catch(() => {});
    });
    host.onReady(() => agents.makeFolders());
  },
});
