import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import type { ChatCommandRun } from "@gantry/sdk";
import plugin from "./index.ts";
import { createCommand } from "./notes.ts";

const folder = mkdtempSync(path.join(tmpdir(), "words-"));
const none = mkdtempSync(path.join(tmpdir(), "words-"));
writeFileSync(path.join(folder, "NOTES.md"), "milk\nbread and milk\neggs");

// It uses these two members of a run alone.
const say = (args: string, workspace: string) => createCommand().run({ args, workspace } as ChatCommandRun);

test("it shows the lines that hold a word", async () => {
  assert.equal(await say("milk", folder), "milk\nbread and milk");
  assert.equal(await say("tea", folder), "No line of NOTES.md holds tea.");
});

test("without a file it says so", async () => {
  assert.equal(await say("", none), "There is no NOTES.md here.");
});

test("the plugin states its facts", () => {
  assert.equal(plugin.name, "words-example");
});
