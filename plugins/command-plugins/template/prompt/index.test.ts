import assert from "node:assert/strict";
import { test } from "node:test";
import type { PromptScene } from "@gantry/sdk";
import plugin from "./index.ts";
import { createPart } from "./part.ts";

const part = createPart("Be kind.");
const scene: PromptScene = {
  session: "s",
  user: "cli:ada",
  trust: "owner",
  conversation: "direct",
  workspace: "/w",
  began: 0,
};

test("the same scene gives the same bytes", async () => {
  assert.equal(await part.text(scene), "Be kind.");
  assert.equal(await part.text({ ...scene }), await part.text(scene));
});

test("a group is told to be short", async () => {
  assert.match(String(await part.text({ ...scene, conversation: "group" })), /short/);
});

test("only who writes for the first time is announced", async () => {
  assert.match(String(await part.note?.({ ...scene, now: 1, last: undefined })), /first time/);
  assert.equal(await part.note?.({ ...scene, now: 1, last: 0 }), undefined);
});

test("the plugin states its facts", () => {
  assert.equal(plugin.name, "prompt-example");
});
