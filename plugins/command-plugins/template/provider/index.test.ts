import { textParts } from "@gantry/sdk";
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { providerContract } from "@gantry/sdk/testing";
import plugin from "./index.ts";
import { provider } from "./provider.ts";

test("it repeats what was said", async () => {
  let text = "";
  const messages = [{ role: "user", parts: textParts("good morning") }] as const;
  const signal = new AbortController().signal;
  for await (const event of provider.chat({
    model: undefined,
    messages,
    tools: [],
    temperature: 0,
    session: "test",
    signal,
  })) {
    if (event.type === "text") text += event.text;
  }
  assert.equal(text, "good morning");
});

describe("the contract of a provider", () => {
  for (const { name, run } of providerContract({ provider })) test(name, run);
});

test("the plugin states its facts", () => {
  assert.equal(plugin.name, "provider-example");
});
