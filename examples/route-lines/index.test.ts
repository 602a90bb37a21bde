import { definePlugin, defineTool, Routes, Tools } from "@gantry/sdk";
import { callRoute, checkPlugin, fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";
import plugin from "./index.ts";

const clock = definePlugin({
  name: "tool-clock",
  provides: [Tools],
  setup(host) {
    const input = Type.Object({});
    host.provide(
      Tools,
      defineTool({ name: "clock", description: "The time.", input, run: async () => "noon" }),
    );
  },
});

test("SDK-12: a turn goes out in the route's own dialect, as it happens", async () => {
  const model = fakeProvider([{ calls: [{ name: "clock", args: {} }] }, "It is noon."]);
  await using t = await startTestHost({ plugins: [plugin, model, memoryStore(), clock] });
  const route = t.slot(Routes).get("POST /lines")!;
  const { text, headers } = await callRoute(route, { body: { ask: "what time is it?" } });
  expect(headers).toMatchObject({ "content-type": "text/event-stream; charset=utf-8", "x-dialect": "lines" });
  const lines = text.trim().split("\n\n");
  expect(lines[0]).toBe("data: r clock");
  expect(lines.at(-1)).toBe("data: e EndTurn");
  const said = lines.filter((line) => line.startsWith("data: t ")).map((line) => JSON.parse(line.slice(8)));
  expect(said.join("")).toBe("It is noon.");
  expect(await callRoute(route, { body: { ask: " " } })).toMatchObject({ status: 400 });
  expect(await callRoute(route, { body: {} })).toMatchObject({ status: 400 });
});

test("SDK-05: the route keeps the contract of its kind", async () => {
  expect((await checkPlugin({ plugin })).findings).toEqual([]);
});
