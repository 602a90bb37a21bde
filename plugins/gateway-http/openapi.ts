import type { Route } from "@gantry/sdk";
import { createPlainApp } from "./app.ts";

/**
 * Returns the route that describes `routes` and itself. The description is made when it is first
 * asked for.
 */
export function openApiRoute(routes: readonly Route[], version: string): Route {
  let made: Promise<object> | undefined;
  const route: Route = {
    name: "GET /api/openapi.json",
    method: "GET",
    path: "/api/openapi.json",
    auth: "token",
    may: "read",
    summary: "This description.",
    async handle() {
      const { describe } = await import("./description.ts");
      made ??= describe(createPlainApp(), [...routes, route], version);
      return { status: 200, body: await made };
    },
  };
  return route;
}
