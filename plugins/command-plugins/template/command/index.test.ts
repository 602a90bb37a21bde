import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import type { CommandContext } from "@gantry/sdk";
import { runCommand } from "@gantry/sdk/testing";
import { createCommand } from "./command.ts";
import plugin from "./index.ts";

const folder = mkdtempSync(path.join(tmpdir(), "command-"));
writeFileSync(path.join(folder, "a.txt"), "");
writeFileSync(path.join(folder, "b.md"), "");

const run = (at: string, args: readonly string[], options: CommandContext["options"] = {}) =>
  runCommand(createCommand(at), { args, options });

test("it counts all files, and those of one kind", async () => {
  assert.deepEqual(await run(folder, []), { code: 0, out: ["2 files"], err: [] });
  assert.deepEqual(await run(folder, [".md"]), { code: 0, out: ["1 files"], err: [] });
});

test("it prints JSON", async () => {
  assert.deepEqual((await run(folder, [], { json: true })).out, ['{"files":2}']);
});

test("a folder that cannot be read is an exit code and a sentence", async () => {
  const { code, err } = await run(path.join(folder, "nowhere"), []);
  assert.equal(code, 1);
  assert.match(err.join("\n"), /cannot be read/);
});

test("the plugin states its facts", () => {
  assert.equal(plugin.name, "command-example");
});
