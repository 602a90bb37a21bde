import { Routes, type TurnResult } from "@gantry/sdk";
import {
  callRoute,
  checkPlugin,
  fakeProvider,
  memoryStore,
  openRoute,
  startTestHost,
} from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import plugin from "./index.ts";

test("SDK-18: a device lists its running turn and stops it; another device finds none", async () => {
  const model = fakeProvider([{ text: "", after: new Promise<void>(() => {}) }]);
  await using t = await startTestHost({ plugins: [plugin, model, memoryStore()] });
  const route = (name: string) => t.slot(Routes).get(name)!;
  const turn: Promise<TurnResult> = t.ask("go", { user: "http:phone", session: "s1" });
  await expect.poll(() => model.requests.length).toBe(1);
  const list = async (device: string) =>
    (await callRoute(route("GET /turns"), { path: "/turns", device })).json();
  expect(await list("phone")).toMatchObject({ turns: [{ session: "s1", user: "http:phone" }] });
  expect(await list("tablet")).toEqual({ turns: [] });
  const stop = (device: string) => callRoute(route("DELETE /turns/:session"), { path: "/turns/s1", device });
  expect((await stop("tablet")).status).toBe(404);
  expect((await stop("phone")).json()).toEqual({ stopped: "s1" });
  expect((await turn).reply).toBe("Stopped.");
  expect(await list("phone")).toEqual({ turns: [] });
});

test("SDK-20: a device watches its turn over a WebSocket and stops it there; another device is refused", async () => {
  const model = fakeProvider([{ text: "half", after: new Promise<void>(() => {}) }]);
  await using t = await startTestHost({ plugins: [plugin, model, memoryStore()] });
  const route = t.slot(Routes).get("GET /turns/:session/live")!;
  const { promise: begun, resolve: onBegun } = Promise.withResolvers<void>();
  const turn = t.ask("go", { user: "http:phone", session: "s1", onEvent: () => onBegun() });
  await begun;
  const open = (device: string) => openRoute(route, { path: "/turns/s1/live", device });
  await expect(open("tablet")).rejects.toThrow("answers 404 instead of a WebSocket");
  const socket = await open("phone");
  socket.send("nonsense");
  socket.send("stop");
  expect((await turn).reply).toContain("Stopped.");
  socket.close();
  expect(await socket.closed).toEqual({ code: 1000, reason: "" });
  expect((await callRoute(route, { path: "/turns/s1/live", device: "phone" })).status).toBe(404);
});

test("SDK-05: the routes keep the contract of their kind", async () => {
  expect((await checkPlugin({ plugin })).findings).toEqual([]);
});
