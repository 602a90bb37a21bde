import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { Tools } from "@gantry/sdk";
import { startTestHost, toolContract } from "@gantry/sdk/testing";
import sandbox from "../sandbox-landlock/index.ts";
import plugin from "./index.ts";

test.for([
  ["file_list", { path: "." }],
  ["file_read", { path: "note.txt" }],
  ["file_write", { path: "new/note.txt", content: "hello" }],
  ["file_edit", { path: "note.txt", old: "l", new: "ll", all: true }],
  ["file_search", { pattern: "h.*o" }],
  ["file_find", { glob: "*.txt" }],
] as const)("SDK-05: %s keeps the contract of a tool behind real walls", async ([name, args]) => {
  await using t = await startTestHost({ plugins: [sandbox, plugin] });
  const cwd = t.runtime.workspace;
  await writeFile(path.join(cwd, "note.txt"), "hello");
  const tool = t.slot(Tools).get(name);
  if (!tool) throw new Error(`there is no tool ${name}`);
  await t.call(name, args, { approvals: "yes" });
  for (const { run } of toolContract({ tool, args, cwd })) await expect(run()).resolves.toBeUndefined();
});
