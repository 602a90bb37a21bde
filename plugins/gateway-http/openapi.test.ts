import { definePlugin, Routes, type Plugin } from "@gantry/sdk";
import { bundledPlugin, fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";
import { startGateway } from "./gateway.test-kit.ts";

const weather: Plugin = definePlugin({
  name: "weather-routes",
  provides: [Routes],
  setup: (host) =>
    host.provide(Routes, {
      name: "PUT /api/weather/:city",
      method: "PUT",
      path: "/api/weather/:city",
      auth: "token",
      may: "manage",
      summary: "Sets the weather.",
      bodySchema: Type.Object({ degrees: Type.Number({ minimum: -90 }) }),
      replySchema: Type.Object({ city: Type.String() }),
      handle: async ({ params }) => ({ status: 200, body: { city: params["city"] } }),
    }),
});

const song: Plugin = definePlugin({
  name: "song-routes",
  provides: [Routes],
  setup: (host) =>
    host.provide(Routes, {
      name: "GET /song",
      method: "GET",
      path: "/song",
      auth: "none",
      summary: "Sings.",
      handle: async () => ({ status: 200, text: "la" }),
    }),
});

test("GW-01: the description lists every route with its schemas and its auth, a plugin's too, for paired devices only", async () => {
  const askWords = await bundledPlugin("ask-words");
  await using gateway = await startGateway({
    plugins: [memoryStore(), fakeProvider(["x"]), askWords, weather, song],
  });
  expect((await gateway.ask("/api/openapi.json")).status).toBe(401);
  const { token } = await gateway.pair();
  const { json } = await gateway.ask("/api/openapi.json", { token });
  expect(json).toMatchObject({
    openapi: "3.1.0",
    info: { title: "Gantry", version: gateway.host.runtime.version },
  });
  const listed = Object.entries<object>(json.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  expect(listed.toSorted()).toEqual([
    "delete /api/devices/{id}",
    "get /api/approvals",
    "get /api/devices",
    "get /api/media/{id}",
    "get /api/openapi.json",
    "get /health",
    "get /ready",
    "get /song",
    "post /api/approvals/{id}",
    "post /api/chat",
    "post /api/devices/codes",
    "post /api/questions/{id}",
    "post /api/sign-out",
    "post /pair",
    "put /api/weather/{city}",
  ]);
  expect(json.components.securitySchemes.token).toMatchObject({ type: "http", scheme: "bearer" });
  const { put } = json.paths["/api/weather/{city}"];
  expect(put).toMatchObject({ summary: "Sets the weather.", security: [{ token: ["manage"] }] });
  expect(put.requestBody.content["application/json"].schema.properties.degrees).toEqual({
    type: "number",
    minimum: -90,
  });
  expect(put.responses["200"].content["application/json"].schema.properties).toEqual({
    city: { type: "string" },
  });
  expect(put.parameters).toMatchObject([{ name: "city", in: "path", required: true }]);
  expect(json.paths["/health"].get.security).toBeUndefined();
  expect(json.paths["/song"].get.responses["200"].content).toBeUndefined();
  expect(
    json.paths["/pair"].post.responses["4XX"].content["application/json"].schema.properties.error.required,
  ).toEqual(["code", "message"]);
});
