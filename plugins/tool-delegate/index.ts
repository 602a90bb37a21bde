import {
  Agents,
  definePlugin,
  Inbox,
  Observers,
  optional,
  Outbox,
  PromptParts,
  Store,
  ToolCatalog,
  Tools,
} from "@gantry/sdk";
import { Type } from "typebox";
import { delegateTool } from "./delegate-tool.ts";
import { Delegation } from "./delegation.ts";
import { errors } from "./errors.ts";
import { KeptTasks } from "./kept-tasks.ts";
import { resultTool } from "./result-tool.ts";

const minuteMs = 60_000;

export default definePlugin({
  name: "tool-delegate",
  summary: "delegate and delegate_result: a task for another agent, at once or in the background.",
  table: "delegate",
  config: Type.Object({
    budget: Type.Integer({
      default: 200_000,
      minimum: 1,
      description: "Tokens, in and out, that one task that is handed on may take.",
    }),
    max_minutes: Type.Integer({
      default: 30,
      minimum: 1,
      maximum: 1_440,
      description: "How long one task may take.",
    }),
    at_once: Type.Integer({
      default: 10,
      minimum: 0,
      maximum: 100,
      description: "Tasks of one conversation that may be worked on in the background; 0: none.",
    }),
  }),
  needs: {
    agents: optional(Agents),
    catalog: ToolCatalog,
    inbox: Inbox,
    outbox: Outbox,
    store: optional(Store),
  },
  provides: [Observers, PromptParts, Tools],
  errors,
  setup(host) {
    const { store, ...needs } = host.needs;
    const { budget, max_minutes, at_once: atOnce } = host.config;
    const tasks = store && new KeptTasks(store.values);
    const { log, signal } = host;
    const mostMs = max_minutes * minuteMs;
    const delegation = new Delegation({ ...needs, tasks, log, signal, budget, mostMs, atOnce });
    host.provide(Tools, delegateTool(delegation, needs.agents, mostMs));
    if (!tasks || atOnce === 0) return;
    host.provide(Tools, resultTool(tasks, mostMs));
    host.provide(Observers, {
      name: host.name,
      turnStarted: ({ session }) => delegation.turnStarted(session),
      turnEnded: ({ session }) => delegation.turnEnded(session),
      // A conversation that is left for a new one has another id by then.
      sessionEnded: ({ session }) => tasks.forget(session.replace(/\.[0-9a-f]{8}$/, "")),
    });
    host.provide(PromptParts, {
      name: "ended-tasks",
      budget: 1_000,
      text: () => undefined,
      async note({ session, agent }) {
        const all = (await tasks.of(session)).filter(({ by, isBackground }) => isBackground && by === agent);
        const ended = all.filter((task) => task.isTold !== true && !tasks.isLive(task)).map(({ id }) => id);
        if (ended.length === 0) return undefined;
        return `[Tasks in the background that have ended: ${ended.join(", ")}. delegate_result gives their results.]`;
      },
    });
  },
});
