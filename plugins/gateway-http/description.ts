import swagger from "@fastify/swagger";
import { scopes, scopesFor } from "@gantry/sdk/fill";
import type { Route } from "@gantry/sdk";
import type { FastifyInstance } from "fastify";

const tokens =
  "The token of a paired device. The words behind it at a route are the scopes that it needs, " +
  `of ${scopes.join(", ")}.`;

/** Returns the OpenAPI document of `routes`; `app` has no routes yet and never listens. */
export async function describe(
  app: FastifyInstance,
  routes: readonly Route[],
  version: string,
): Promise<object> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Gantry", version },
      components: {
        securitySchemes: {
          token: { type: "http", scheme: "bearer", description: tokens },
        },
      },
    },
  });
  for (const route of routes) {
    const { method, path: url } = route;
    app.route({ method, url, schema: schemaOf(route), handler: async () => {} });
  }
  await app.ready();
  return app.swagger();
}

function schemaOf(route: Route): object {
  return {
    summary: route.summary,
    ...(route.auth === "token" && { security: [{ token: scopesFor(route) }] }),
    ...(route.bodySchema && { body: route.bodySchema }),
    response: { 200: route.replySchema ?? undescribed, "4xx": failureSchema, "5xx": failureSchema },
  };
}

/** The schema of a reply that the route does not describe: it may be JSON, text or events. */
const undescribed = { type: "null" };

const failureSchema = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message"],
      properties: { code: { type: "string" }, message: { type: "string" } },
    },
  },
};
