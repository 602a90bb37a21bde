import { fastify, type FastifyInstance } from "fastify";
import { expect, test } from "vitest";
import { Limiter } from "./limiter.ts";
import { rootGuards } from "./server.ts";

const root = (): FastifyInstance => fastify() as unknown as FastifyInstance;

test("FLR-26: the guards of the gateway are refused by an app that counts no requests", async () => {
  const app = root();
  await expect(app.register(rootGuards, {} as never)).rejects.toThrow(/'gantry-limits'.*'gantry-guards'/);
});

test("FLR-26: limits of the gateway change the root of the app that registers them", async () => {
  const app = root();
  await Limiter.on(app, 60);
  expect(app.hasPlugin("gantry-limits")).toBe(true);
  expect(typeof app.createRateLimit).toBe("function");
});
