import type { Route } from "@gantry/sdk";
import { failureBody, refusal } from "./failure.ts";
import { errors } from "./errors.ts";

/** What a client may ask for as `model`. */
export const models = ["gantry", "gantry-plain"] as const;

/** A chat program looks at its models whenever somebody opens it. */
const perMinute = 600;

export function modelRoutes(): readonly Route[] {
  const list: Route = {
    name: "GET /v1/models",
    method: "GET",
    path: "/v1/models",
    auth: "token",
    may: "talk",
    failureBody,
    perMinute,
    summary: "The models that chat completions take: the agent, and the model behind it alone.",
    handle: async () => ({ status: 200, body: { object: "list", data: models.map(modelOf) } }),
  };
  const one: Route = {
    name: "GET /v1/models/:id",
    method: "GET",
    path: "/v1/models/:id",
    auth: "token",
    may: "talk",
    failureBody,
    perMinute,
    summary: "One of the models.",
    async handle({ params: { id = "" } }) {
      if (isModel(id)) return { status: 200, body: modelOf(id) };
      return refusal(404, errors.OPENAI_NO_MODEL(id), "model");
    },
  };
  return [list, one];
}

export function isModel(id: string): id is (typeof models)[number] {
  return (models as readonly string[]).includes(id);
}

function modelOf(id: string): object {
  return { id, object: "model", created: 1_700_000_000, owned_by: "gantry" };
}
