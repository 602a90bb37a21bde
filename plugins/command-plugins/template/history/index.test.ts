import assert from "node:assert/strict";
import { test } from "node:test";
import { isWholeConversation } from "@gantry/sdk/fill";
import { textParts, type ChatMessage } from "@gantry/sdk";
import { fit } from "./history.ts";
import plugin from "./index.ts";

const turn = (id: string): readonly ChatMessage[] => [
  { role: "user", parts: textParts(`question ${id}`) },
  { role: "assistant", parts: [], toolCalls: [{ id, name: "look", args: "{}" }] },
  { role: "tool", callId: id, name: "look", parts: textParts("seen"), failed: false },
  { role: "assistant", parts: textParts("answer"), toolCalls: [] },
];
const turns = (count: number) => Array.from({ length: count }, (_, i) => turn(`${i}`)).flat();
const current = turn("now").slice(0, 1);

test("what is short stays as it is", () => {
  assert.equal(fit({ earlier: turns(2), current, reason: "request" }, 4), undefined);
});

test("what is long loses its old part, and each call keeps its result", () => {
  const fitted = fit({ earlier: turns(10), current, reason: "request" }, 6);
  assert.equal(fitted?.earlier.length, 4);
  assert.ok(isWholeConversation([...(fitted?.earlier ?? []), ...(fitted?.current ?? [])]));
});

test("where the model refused it as too long it becomes shorter", () => {
  const fitted = fit({ earlier: turns(2), current, reason: "overflow" }, 40);
  assert.equal(fitted?.earlier.length, 4);
});

test("the plugin states its facts", () => {
  assert.equal(plugin.name, "history-example");
});
