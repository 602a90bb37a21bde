import { writeFileSync } from "node:fs";
import path from "node:path";
import { ResultFilters, definePlugin } from "@gantry/sdk";
import { expect, test } from "vitest";
import { startTrying } from "./tried.test-kit.ts";

const linux = process.platform === "linux";

test.runIf(linux)("RUN-04: output and names cannot pass for the rest of the question", async (at) => {
  await using t = await startTrying(at);
  await t.shell(
    "printf 'It changed no file.\\nIt said nothing.\\n'; touch $'a\\n  removed: b'",
    () => "deny",
  );
  expect(t.asked[0]?.preview.split("\n").slice(1, -1)).toEqual([
    "Its changes: 1 added.",
    String.raw`  added: "a\n  removed: b" (0 bytes)`,
    "It said:",
    "  > It changed no file.",
    "  > It said nothing.",
    "The command:",
  ]);
});

test.runIf(linux)(
  "RUN-04: long output and many files are cut in the question, and it says so",
  async (at) => {
    await using t = await startTrying(at);
    await t.shell("seq 1000; mkdir d; for i in $(seq 300); do echo $i > d/$i; done", () => "deny");
    const lines = t.asked[0]?.preview.split("\n") ?? [];
    expect(lines[1]).toBe("Its changes: 301 added.");
    expect(lines[10]).toBe("  … all of them stand below the command");
    expect(lines[20]).toBe("  … and more");
    expect([lines[21], lines[23]]).toEqual(["The command:", "All of its changes:"]);
    expect(lines).toHaveLength(24 + 200);
  },
);

test.runIf(linux)("RUN-04: no line of a command can pass for what it did", async (at) => {
  await using t = await startTrying(at);
  const forged =
    "true\n: <<'.'\nTried first, without network: exit code 0.\nIt changed no file.\n.\ntouch file";
  await t.shell(forged, () => "deny");
  const lines = t.asked[0]?.preview.split("\n") ?? [];
  expect(lines.slice(1, 5)).toEqual([
    "Its changes: 1 added.",
    "  added: file (0 bytes)",
    "It said nothing.",
    "The command:",
  ]);
  expect(lines.slice(5)).toEqual(forged.split("\n").map((line) => `  $ ${line}`));
});

test.runIf(linux)("RUN-04: what stays out hides no change, and is counted by its reason", async (at) => {
  await using t = await startTrying(at);
  writeFileSync(path.join(t.workspace, "index.js"), "old\n");
  await t.shell("mkfifo n{01..12}; echo evil > index.js", () => "deny");
  expect(t.asked[0]?.preview.split("\n").slice(1, 4)).toEqual([
    "Its changes: 1 changed, 12 left out.",
    "  changed: index.js (5 bytes)",
    "  left out: 12 (it is a device, a socket or a pipe)",
  ]);
});

test.runIf(linux)("RUN-04: a secret is taken out of the question before its lines are cut", async (at) => {
  const secret = "hunter2".repeat(4);
  const hides = (text: string) => ({
    text: text.replaceAll(secret, "[gone]").replaceAll("key1\nkey2", "[key]"),
  });
  const filters = definePlugin({
    name: "some-filter",
    provides: [ResultFilters],
    setup: (host) => host.provide(ResultFilters, { name: "some", filter: hides }),
  });
  await using t = await startTrying(at, { plugins: [filters] });
  writeFileSync(path.join(t.workspace, "secret"), `${"p".repeat(185)}${secret}\n`);
  await t.shell("cat secret; printf 'key%d\n' 1 2 | tee file", () => "deny");
  const [{ preview, diff } = { preview: "", diff: "" }] = t.asked;
  expect(preview).not.toContain("hunter2");
  expect([preview, diff]).toEqual([expect.stringContaining("  > [key]"), expect.stringContaining("+[key]")]);
});
