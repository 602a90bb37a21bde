import { fastify, type FastifyInstance } from "fastify";
import { expect, test } from "vitest";
import { Limiter } from "./limiter.ts";
import { describe } from "./openapi.ts";
import { rootGuards } from "./server.ts";

const root = (): FastifyInstance => fastify() as unknown as FastifyInstance;

test("FLR-26: the guards of the gateway are refused by an app that counts no requests", async () => {
  const app = root();
  await expect(app.register(rootGuards, {} as never)).rejects.toThrow(/'gantry-limits'.*'gantry-guards'/);
});

test("FLR-26: limits and description of the gateway change the root of the app that registers them", async () => {
  const app = root();
  await Limiter.on(app, 60);
  await app.register(describe, { version: "1" });
  expect([app.hasPlugin("gantry-limits"), app.hasPlugin("gantry-openapi")]).toEqual([true, true]);
  expect([typeof app.createRateLimit, app.hasDecorator("swagger")]).toEqual(["function", true]);
});
