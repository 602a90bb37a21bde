import type { Route } from "@gantry/sdk";
import { Type } from "typebox";
import { queryOf } from "../shared/route-page.ts";
import type { AgentList } from "./agent-list.ts";
import { explain, linesOf } from "./explain.ts";
import { shownRoute, type Route as AgentRoute } from "./routes.ts";

const access = { method: "GET", auth: "token", may: "read" } as const;

/** Agents and routes over HTTP, and what `route explain` says. */
export function agentsOverHttp(agents: AgentList, routes: readonly AgentRoute[]): readonly Route[] {
  return [
    {
      ...access,
      name: "GET /api/agents",
      path: "/api/agents",
      summary: "The agents, and the routes that say who of them answers whom.",
      get replySchema() {
        return lists();
      },
      handle: async () => ({
        status: 200,
        body: { agents: agents.list(), routes: routes.map(rowOf) },
      }),
    },
    {
      ...access,
      name: "GET /api/agents/explain",
      path: "/api/agents/explain",
      summary: "Who answers `user`, as in telegram:42, in `conversation`, and by which route.",
      async handle(request) {
        const user = queryOf(request, "user") ?? "";
        const asked = await explain(agents, user, queryOf(request, "conversation"));
        const lines = linesOf(asked.explained, asked.routes);
        return { status: 200, body: { ...asked.explained, lines } };
      },
    },
  ];
}

function rowOf(route: AgentRoute): object {
  return { number: route.number, agent: route.agent, fits: shownRoute(route) };
}

function lists() {
  const agent = Type.Object({
    name: Type.String(),
    provider: Type.Optional(Type.String()),
    model: Type.Optional(Type.String()),
    effort: Type.Optional(Type.String()),
    tools: Type.Optional(Type.Array(Type.String())),
    autonomy: Type.Optional(Type.String()),
    workspace: Type.Optional(Type.String()),
    memory: Type.Optional(Type.String()),
  });
  const route = Type.Object({
    number: Type.Integer(),
    agent: Type.String(),
    fits: Type.String(),
  });
  return Type.Object({ agents: Type.Array(agent), routes: Type.Array(route) });
}
