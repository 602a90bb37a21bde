import swagger from "@fastify/swagger";
import { scopes } from "@gantry/sdk/fill";
import type { Route } from "@gantry/sdk";
import type { FastifyInstance } from "fastify";
import fp from "fastify-plugin";

const tokens =
  "The token of a paired device. The word behind it at a route is the scope that it needs, " +
  `one of ${scopes.join(", ")}.`;

/** Has the root of the app note every route that is registered from now on. */
export const describe = fp(
  async (app: FastifyInstance, { version }: { readonly version: string }) => {
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
  },
  { name: "gantry-openapi", fastify: "5.x" },
);

export function openApiRoute(app: FastifyInstance): Route {
  return {
    name: "GET /api/openapi.json",
    method: "GET",
    path: "/api/openapi.json",
    auth: "token",
    may: "read",
    summary: "This description.",
    handle: async () => ({ status: 200, body: (app as FastifyInstance & { swagger(): unknown }).swagger() }),
  };
}
