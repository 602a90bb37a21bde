import {
  ChatCommands,
  definePlugin,
  Inbox,
  Observers,
  optional,
  People,
  Standings,
  Store,
  ToolCatalog,
  Tools,
} from "@gantry/sdk";
import { Type } from "typebox";
import { errors } from "./errors.ts";
import type { OpenGoals } from "./open-goals.ts";
import { verdictTool } from "./verdict-tool.ts";

const command = "goal";

export default definePlugin({
  name: "goal-turns",
  summary: "/goal: works turn after turn until a goal holds, as goal_verdict or a command says.",
  table: "goal",
  config: Type.Object({
    turns: Type.Integer({
      default: 20,
      minimum: 1,
      maximum: 200,
      description: "Turns that a goal may take before its person is asked to go on.",
    }),
    tokens: Type.Integer({
      default: 2_000_000,
      minimum: 1,
      description: "Tokens, in and out, after which no further turn of a goal begins.",
    }),
    minutes: Type.Integer({
      default: 240,
      minimum: 1,
      maximum: 10_080,
      description: "Minutes after which no further turn of a goal begins.",
    }),
  }),
  needs: {
    catalog: ToolCatalog,
    doors: Standings,
    inbox: Inbox,
    people: People,
    store: optional(Store),
  },
  provides: [ChatCommands, Observers, Tools],
  errors,
  setup(host) {
    const { store, ...needs } = host.needs;
    if (!store) return;
    let opened: Promise<OpenGoals> | undefined;
    const open = (): Promise<OpenGoals> =>
      (opened ??= import("./open-goals.ts").then(({ openGoals }) =>
        openGoals({ ...needs, values: store.values, bounds: host.config }),
      ));
    host.provide(ChatCommands, {
      name: command,
      args: "[text] [--until command]",
      summary: "work turn after turn until this holds; without a text: how the goal stands; `resume` goes on",
      trust: "member",
      run: async (run) => (await open()).begin(run),
      begins: async (turn) => (await open()).begins(turn),
      stopped: async ({ conversation }) => (await open()).stop(conversation.session),
      next: async (ended) => (await open()).goOn(ended),
    });
    host.provide(Tools, verdictTool(open, command));
    host.provide(Observers, {
      name: host.name,
      sessionEnded: async ({ session }) => (await open()).forget(session),
    });
  },
});
