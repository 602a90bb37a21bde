import { defineErrors, usage, type Route } from "@gantry/sdk";
import { Type, type Static } from "typebox";

export const errors = defineErrors({
  EXAMPLE_UNKNOWN: usage("There is no list `%s`: ask for days or hours."),
});

const Body = Type.Object({ add: Type.Integer({ minimum: 1, maximum: 1_000 }) });

/**
 * `token` and `may`: paired devices alone may ask, those whose token has the scope `read`. A coded
 * error becomes `{"error":{"code","message"}}`.
 */
export function createRoute(now: () => number): Route {
  const sizes: Readonly<Record<string, number>> = { days: 86_400_000, hours: 3_600_000 };
  return {
    name: "POST /api/example/:unit",
    method: "POST",
    path: "/api/example/:unit",
    auth: "token",
    may: "read",
    summary: "Adds days or hours to the present.",
    bodySchema: Body,
    async handle({ params, body }) {
      const size = sizes[params["unit"] ?? ""];
      if (size === undefined) throw errors.EXAMPLE_UNKNOWN(params["unit"]);
      const { add } = body as Static<typeof Body>;
      return { status: 200, body: { at: new Date(now() + add * size).toISOString() } };
    },
  };
}
