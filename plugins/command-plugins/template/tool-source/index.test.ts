import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { toolContract, toolRun } from "@gantry/sdk/testing";
import plugin, { echoServer } from "./index.ts";
import { createSource, type Server } from "./tool-source.ts";

const { signal } = new AbortController();
const { source } = createSource("box", echoServer(["hello", "bye"]));
const [hello, bye] = await source.tools(signal);

test("it lists what the server offers, under the server's name", () => {
  assert.deepEqual([hello?.name, bye?.name], ["box_hello", "box_bye"]);
});

test("a call goes to the server, and its failure is an answer", async () => {
  assert.equal(await hello!.run(toolRun(hello!, { text: "Ada" })), "hello Ada");
  const list: Server["list"] = async () => {
    const [offer] = await echoServer(["hello"]).list(signal);
    return [{ ...offer!, call: () => Promise.reject(new Error("no disk")) }];
  };
  const [broken] = await createSource("box", { list }).source.tools(signal);
  const answer = await broken!.run(toolRun(broken!, { text: "Ada" }));
  assert.deepEqual(answer, { text: "box answered: no disk", failed: true });
});

test("who wants to know is told that the list is another", () => {
  let told = 0;
  const other = createSource("box", echoServer([]));
  other.source.onChange?.(() => (told += 1));
  other.changed();
  assert.equal(told, 1);
});

describe("the contract of a tool", () => {
  for (const { name, run } of toolContract({ tool: hello!, args: { text: "Ada" } })) test(name, run);
});

test("the plugin states its facts", () => {
  assert.equal(plugin.name, "tool-source-example");
});
