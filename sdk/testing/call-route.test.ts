import { Type } from "typebox";
import { expect, test } from "vitest";
import type { Route } from "../index.ts";
import { callRoute } from "./call-route.ts";

const route = (bodySchema: Route["bodySchema"]): Route => ({
  name: "POST /x",
  method: "POST",
  path: "/x",
  auth: "none",
  summary: "",
  ...(bodySchema && { bodySchema }),
  handle: async ({ body }) => ({ status: 200, body: { body } }),
});
const days = Type.Object({ add: Type.Number(), unit: Type.Union([Type.Literal("h"), Type.Literal("d")]) });

test("SDK-12: the route test kit refuses what a gateway refuses, in its words", async () => {
  const said = async (body: unknown) =>
    (await callRoute(route(days), { body })).json().error?.message as unknown;
  expect(await said({ add: 1, unit: "h" })).toBeUndefined();
  expect(await said({ unit: "h" })).toBe("The body is wrong: it misses `add`.");
  expect(await said({ add: 1, unit: "y" })).toBe("The body is wrong: `unit` must be `h` or `d`.");
  expect(await said({ add: 1, unit: "h", ad: 2 })).toBe(
    "The body is wrong: it knows no `ad`, only `add`, `unit`.",
  );
  const open = Type.Object({ add: Type.Number() }, { additionalProperties: true });
  expect((await callRoute(route(open), { body: { add: 1, more: 2 } })).status).toBe(200);
});
