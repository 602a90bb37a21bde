import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ToolCall } from "@gantry/sdk";
import { bundledPlugin, startTestHost, tapsOf } from "@gantry/sdk/testing";
import { readFacts } from "../../plugins/isolated-plugins/facts.ts";
import { standIn } from "../../plugins/isolated-plugins/stand-in.ts";
import { atMost, type Row } from "./row.ts";

const CODE = `import { definePlugin, refuse } from "@gantry/sdk";
export default definePlugin({
  name: "guard-bench",
  taps: ["beforeToolCall"],
  setup: (host) => host.hooks.beforeToolCall.tap((call) =>
    call.tool === "other" ? refuse({ code: "BENCH", message: "No." }) : undefined),
});
`;
const STATED = JSON.stringify({ name: "guard-bench", type: "module", gantry: { taps: ["beforeToolCall"] } });
const CALL: ToolCall = {
  id: "call_1",
  tool: "file_read",
  args: { path: "notes.md" },
  effects: {
    paths: [{ path: "notes.md", resolved: "/home/me/notes.md", access: "read" }],
    commands: [],
    urls: [],
  },
  session: "cli:one",
  user: "cli:me",
  cwd: "/home/me",
  trust: "owner",
  sources: { material: [], private: [] },
  dryRun: false,
};

/** Microseconds of one question, the median of all. */
async function median(count: number, work: () => unknown): Promise<number> {
  const taken: number[] = [];
  for (let n = 0; n < count; n++) {
    const start = performance.now();
    await work();
    if (n >= count / 2) taken.push((performance.now() - start) * 1_000);
  }
  return taken.toSorted((a, b) => a - b)[taken.length >> 1]!;
}

/** The price of a guard that is asked in a process of its own. */
export async function isolatedRows(): Promise<readonly Row[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "gantry-bench-"));
  const entry = path.join(folder, "index.js");
  writeFileSync(path.join(folder, "package.json"), STATED);
  writeFileSync(entry, CODE);
  const base = new URL("../../host/dist/plugins/isolated-plugins/index.js", import.meta.url).href;
  const spy = tapsOf(standIn(readFacts("guard-bench", STATED), { base, entry, folder }));
  const t = await startTestHost({ plugins: [await bundledPlugin("sandbox-landlock"), spy.plugin] });
  try {
    const [guard] = spy.handlers("beforeToolCall");
    const taken = await median(20_000, () => guard!(CALL));
    return [atMost("a guard in a process of its own, median", taken, 50, " µs")];
  } finally {
    await t.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
