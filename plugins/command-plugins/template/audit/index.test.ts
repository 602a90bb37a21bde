import assert from "node:assert/strict";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import type { AuditEvent } from "@gantry/sdk";
import plugin from "./index.ts";
import { createSink } from "./sink.ts";

const folder = mkdtempSync(path.join(tmpdir(), "audit-"));
const event = (tool: string): AuditEvent => ({
  timestamp: "2030-01-01T00:00:00.000Z",
  event_type: "tool_call",
  user: "cli:ada",
  session_id: "s",
  tool,
  args: {},
  result: "allowed",
});

test("a record is on disk once the promise resolves, after those before it", async () => {
  const file = path.join(folder, "records.jsonl");
  const sink = createSink(file);
  await sink.write(event("one"));
  await sink.write(event("two"));
  const lines = readFileSync(file, "utf8").trim().split("\n");
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as AuditEvent).tool),
    ["one", "two"],
  );
});

test("what cannot be kept is thrown, so that the call does not run unrecorded", async () => {
  await assert.rejects(createSink(path.join(folder, "no/such/folder")).write(event("one")));
});

test("the plugin states its facts", () => {
  assert.equal(plugin.name, "audit-example");
});
