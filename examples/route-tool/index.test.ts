import { ask, definePlugin, defineTool, refuse, Routes, Tools } from "@gantry/sdk";
import { callRoute, checkPlugin, startTestHost } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";
import plugin from "./index.ts";

const house = definePlugin({
  name: "tool-house",
  provides: [Tools],
  taps: ["beforeToolCall"],
  setup(host) {
    const input = Type.Object({ word: Type.Optional(Type.String()) });
    for (const name of ["knock", "enter", "burn"])
      host.provide(
        Tools,
        defineTool({ name, description: name, input, run: async ({ args }) => `${name} ${args.word ?? ""}` }),
      );
    host.hooks.beforeToolCall.tap(({ tool }) => {
      if (tool === "enter") return ask({ code: "DOOR", message: "May I?" });
      return tool === "burn" ? refuse({ code: "FIRE", message: "No fire." }) : undefined;
    });
  },
});

test("SDK-14: a route runs a tool for a device, and answers what its guards left of it", async () => {
  await using t = await startTestHost({ plugins: [plugin, house] });
  const route = t.slot(Routes).get("POST /tools/:name")!;
  const call = async (name: string, args: object) => {
    const answer = await callRoute(route, { path: `/tools/${name}`, body: { args }, device: "phone" });
    return { status: answer.status, ...answer.json() };
  };
  const knocked = { status: 200, decision: "allowed", text: "knock twice" };
  expect(await call("knock", { word: "twice" })).toEqual(knocked);
  expect(await call("enter", {})).toMatchObject({ status: 403, code: "APPROVAL_NO_PERSON" });
  expect(await call("burn", {})).toMatchObject({ status: 403, code: "FIRE", text: "No fire." });
  expect(await call("knock", { word: 1 })).toMatchObject({ status: 422, code: "TOOL_BAD_ARGS" });
  const records = t.audit.filter(({ event_type }) => event_type === "tool_call");
  expect(records.map(({ user, result }) => [user, result])).toEqual([
    ["http:phone", "allowed"],
    ["http:phone", "refused: APPROVAL_NO_PERSON"],
    ["http:phone", "refused: FIRE"],
    ["http:phone", "failed: TOOL_BAD_ARGS"],
  ]);
});

test("SDK-05: the route keeps the contract of its kind", async () => {
  expect((await checkPlugin({ plugin })).findings).toEqual([]);
});
