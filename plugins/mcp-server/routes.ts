import type { Route } from "@gantry/sdk";
import type { RouteFailure } from "@gantry/sdk/fill";
import type { HttpDoor } from "./http-door.ts";

const bodyLimit = 1024 * 1024;
/** A program that works for a person calls more often than a person does. */
const perMinute = 1_200;

/**
 * The routes of streamable HTTP. No stream lives beside the requests, so `GET` has nothing to give.
 */
export function mcpRoutes(door: () => Promise<HttpDoor>): readonly Route[] {
  const place = { path: "/mcp", auth: "token", may: "talk", failureBody } as const;
  const others = (["GET", "DELETE"] as const).map((method): Route => ({
    ...place,
    name: `${method} /mcp`,
    method,
    summary: "Answers 405: each answer of the MCP server comes with its own POST.",
    handle: async () => ({ status: 405, text: "", headers: { allow: "POST" } }),
  }));
  const post: Route = {
    ...place,
    name: "POST /mcp",
    method: "POST",
    bodyLimit,
    perMinute,
    summary: "A message to the MCP server: a turn, memory and the tools that the owner offers.",
    handle: async (request) => (await door()).handle(request),
  };
  return [post, ...others];
}

/** Returns what the gateway refuses, as a client of JSON-RPC reads it. */
function failureBody({ code, message }: RouteFailure): object {
  return { jsonrpc: "2.0", id: null, error: { code: -32_000, message, data: { code } } };
}
