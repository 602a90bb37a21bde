import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Tools } from "@gantry/sdk";
import { startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import sandbox from "../sandbox-landlock/index.ts";
import files from "./index.ts";

const plugins = [sandbox, files];

test("TOL-01: file_write, file_read and file_list work in the workspace, with relative and absolute paths", async () => {
  await using t = await startTestHost({ plugins });
  const at = (name: string): string => path.join(t.runtime.workspace, name);
  expect((await t.call("file_write", { path: "notes/today.txt", content: "grüße\nzwei\n" })).text).toBe(
    "Wrote 13 bytes to notes/today.txt.",
  );
  expect(readFileSync(at("notes/today.txt"), "utf8")).toBe("grüße\nzwei\n");
  expect((await t.call("file_read", { path: at("notes/today.txt") })).text).toBe("grüße\nzwei");
  writeFileSync(at("empty"), "");
  mkdirSync(at("none"));
  symlinkSync("empty", at("link"));
  expect((await t.call("file_list", {})).text).toBe("empty (0 bytes)\nlink (link)\nnone/\nnotes/");
  expect((await t.call("file_list", { path: "notes" })).text).toBe("today.txt (13 bytes)");
  expect((await t.call("file_list", { path: "none" })).text).toBe("[none is empty]");
  expect((await t.call("file_read", { path: "empty" })).text).toBe("[empty is empty]");
});

test("TOL-01: a link inside the workspace is followed to what the guards were shown", async () => {
  await using t = await startTestHost({ plugins });
  writeFileSync(path.join(t.runtime.workspace, "real"), "content");
  symlinkSync("real", path.join(t.runtime.workspace, "link"));
  expect((await t.call("file_read", { path: "link" })).text).toBe("content");
  await t.call("file_write", { path: "link", content: "new" });
  expect(readFileSync(path.join(t.runtime.workspace, "real"), "utf8")).toBe("new");
});

test("TOL-01: a large file is read by pages of lines, each saying where to go on", async () => {
  await using t = await startTestHost({ plugins, config: { tools: { max_output_bytes: 4_096 } } });
  const lines = Array.from({ length: 5_000 }, (_, i) => `line ${i + 1}`);
  writeFileSync(path.join(t.runtime.workspace, "large"), lines.join("\n"));
  const read: string[] = [];
  let offset: number | undefined = 1;
  while (offset !== undefined) {
    const { text } = await t.call("file_read", { path: "large", offset });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_096);
    const note = /\n\[lines (\d+)-(\d+) of 5000; go on with offset (\d+)\]$/.exec(text);
    read.push(...(note ? text.slice(0, note.index) : text.replace(/\n\[lines.*$/, "")).split("\n"));
    offset = note ? Number(note[3]) : undefined;
  }
  expect(read).toEqual(lines);
  expect((await t.call("file_read", { path: "large", offset: 7, limit: 2 })).text).toBe(
    "line 7\nline 8\n[lines 7-8 of 5000; go on with offset 9]",
  );
  expect((await t.call("file_read", { path: "large", offset: 6_000 })).text).toBe(
    "[large has only 5000 lines]",
  );
});

test("TOL-01: one line that is too long is cut and said", async () => {
  await using t = await startTestHost({ plugins, config: { tools: { max_output_bytes: 2_048 } } });
  writeFileSync(path.join(t.runtime.workspace, "long"), "x".repeat(10_000));
  const { text } = await t.call("file_read", { path: "long" });
  expect(text).toMatch(/^x+ \[line cut: \d+ more bytes\]/);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2_048);
});

test("TOL-01: a binary file is said to be one, and what is not a readable file is a coded error", async () => {
  await using t = await startTestHost({ plugins });
  writeFileSync(path.join(t.runtime.workspace, "image"), Buffer.from([1, 0, 2]));
  expect((await t.call("file_read", { path: "image" })).text).toBe("[image is a binary file of 3 bytes]");
  expect(await t.call("file_read", { path: "missing" })).toMatchObject({
    decision: "failed",
    code: "FILE_MISSING",
  });
  expect(await t.call("file_read", { path: "." })).toMatchObject({ decision: "failed", code: "FILE_FAILED" });
  expect(await t.call("file_list", { path: "image" })).toMatchObject({ decision: "failed" });
});

test("ERR-01: a path that the walls do not hold is answered with `Path outside workspace`", async () => {
  await using t = await startTestHost({ plugins });
  for (const [tool, args] of [
    ["file_read", { path: "/etc/shadow" }],
    ["file_read", { path: "../config.toml" }],
    ["file_write", { path: "../../new", content: "" }],
    ["file_list", { path: "/root" }],
  ] as const) {
    const call = await t.call(tool, args, { approvals: "yes" });
    expect([call.decision, call.code]).toEqual(["refused", "PATH_OUTSIDE"]);
    expect(call.text).toContain("Path outside workspace");
  }
});

test("SEC-06: file_write_enabled false: the tool is not offered and a call is refused; reading stays", async () => {
  await using t = await startTestHost({ plugins, config: { security: { file_write_enabled: false } } });
  const offered = (name: string) => t.slot(Tools).get(name)!.offered!();
  expect([offered("file_write"), offered("file_read"), offered("file_list")]).toEqual([false, true, true]);
  expect(await t.call("file_write", { path: "new", content: "x" }, { approvals: "yes" })).toMatchObject({
    decision: "refused",
    code: "TOOL_NOT_OFFERED",
  });
  expect(readdirSync(t.runtime.workspace)).toEqual([]);
});

test("TOL-01: without a sandbox the tools are not offered and refuse", async () => {
  await using t = await startTestHost({ plugins: [files] });
  for (const [tool, args] of [
    ["file_read", { path: "x" }],
    ["file_write", { path: "x", content: "" }],
    ["file_list", {}],
    ["file_edit", { path: "x", old: "a", new: "b" }],
    ["file_search", { pattern: "x" }],
    ["file_find", { glob: "*" }],
  ] as const) {
    expect(t.slot(Tools).get(tool)!.offered!()).toBe(false);
    expect(await t.call(tool, args, { approvals: "yes" })).toMatchObject({
      decision: "refused",
      code: "TOOL_NOT_OFFERED",
    });
  }
});

test("TOL-01: file_operation_timeout_seconds is the limit of each operation", async () => {
  await using t = await startTestHost({ plugins, config: { tools: { file_operation_timeout_seconds: 3 } } });
  for (const tool of ["file_read", "file_write", "file_list", "file_edit", "file_search", "file_find"])
    expect(t.slot(Tools).get(tool)!.timeoutMs).toBe(3_000);
});

test("TOL-01: a name cannot pass for another entry of the list", async () => {
  await using t = await startTestHost({ plugins });
  writeFileSync(path.join(t.runtime.workspace, "a\nsecret"), "");
  expect((await t.call("file_list", {})).text).toBe('"a\\nsecret" (0 bytes)');
});
