import type { Agents, Route, RouteRequest } from "@gantry/sdk";
import { failureBody, refusal } from "./failure.ts";
import { errors } from "./errors.ts";
import { modelsOf, ofAgent } from "./models.ts";

/** A chat program looks at its models whenever somebody opens it. */
const perMinute = 600;

export function modelRoutes(agents: () => Agents | undefined): readonly Route[] {
  const list: Route = {
    name: "GET /v1/models",
    method: "GET",
    path: "/v1/models",
    auth: "token",
    may: "talk",
    failureBody,
    perMinute,
    summary:
      "The models that chat completions take: the agent, the model behind it alone, and each agent of its own.",
    handle: async () => ({ status: 200, body: { object: "list", data: modelsOf(agents()).map(modelOf) } }),
  };
  /** Returns the route of one model, whose name `idIn` reads out of the path. */
  const one = (path: string, idIn: (params: RouteRequest["params"]) => string): Route => ({
    name: `GET ${path}`,
    method: "GET",
    path,
    auth: "token",
    may: "talk",
    failureBody,
    perMinute,
    summary: "One of the models.",
    async handle({ params }) {
      const id = idIn(params);
      const models = modelsOf(agents());
      if (models.includes(id)) return { status: 200, body: modelOf(id) };
      return refusal(404, errors.OPENAI_NO_MODEL(id, models.join(", ")), "model");
    },
  });
  return [
    list,
    one("/v1/models/:id", ({ id = "" }) => id),
    one(`/v1/models/${ofAgent}:agent`, ({ agent = "" }) => ofAgent + agent),
  ];
}

function modelOf(id: string): object {
  return { id, object: "model", created: 1_700_000_000, owned_by: "gantry" };
}
