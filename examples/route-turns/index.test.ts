import { Routes, type TurnResult } from "@gantry/sdk";
import { callRoute, checkPlugin, fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
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
  expect((await stop("tablet")).status).toBe(500);
  expect((await stop("phone")).json()).toEqual({ stopped: "s1" });
  expect((await turn).reply).toBe("Stopped.");
  expect(await list("phone")).toEqual({ turns: [] });
});

test("SDK-05: the routes keep the contract of their kind", async () => {
  expect((await checkPlugin({ plugin })).findings).toEqual([]);
});
