import type { Route, RouteRequest } from "@gantry/sdk";
import type { Answers } from "./answers.ts";
import { failureBody } from "./failure.ts";

const bodyLimit = 20 * 1024 * 1024;
/** A chat program of a whole team is one peer. */
const perMinute = 600;

const routes = [
  {
    method: "POST",
    path: "/v1/chat/completions",
    answer: "chat",
    summary: "One turn in the form of OpenAI's chat completions, whole or streamed.",
  },
  {
    method: "POST",
    path: "/v1/responses",
    answer: "create",
    summary: "One turn in the form of Open Responses, whole or streamed; kept unless `store` is false.",
  },
  {
    method: "GET",
    path: "/v1/responses/:id",
    answer: "get",
    summary: "A response that is kept, for the token that asked for it.",
  },
  {
    method: "GET",
    path: "/v1/responses/:id/input_items",
    answer: "items",
    summary: "The items that were sent for a response.",
  },
  {
    method: "DELETE",
    path: "/v1/responses/:id",
    answer: "remove",
    summary: "Removes a response; one that runs is stopped.",
  },
] as const;

/** Returns the routes of turns; `answers` is asked for what they do once one of them is used. */
export function turnRoutes(answers: () => Promise<Answers>): readonly Route[] {
  return routes.map(({ method, path, answer, summary }) => ({
    name: `${method} ${path}`,
    method,
    path,
    auth: "token",
    may: "talk",
    failureBody,
    ...(method === "POST" && { bodyLimit }),
    perMinute,
    summary,
    handle: async (request: RouteRequest) => (await answers())[answer](request),
  }));
}
