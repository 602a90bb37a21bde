import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { expect, test } from "vitest";
import { folder } from "./mcp.test-kit.ts";

const manifest = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json");
const suite = path.join(path.dirname(manifest), "dist/index.js");
const client = path.join(import.meta.dirname, "conformance-client.test-kit.ts");

/** The client scenarios that each revision required when it was released. */
const required: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  ["2025-11-25", "2026-07-28"].map((revision) => {
    const text = readFileSync(path.join(path.dirname(manifest), `requirements/${revision}.yaml`), "utf8");
    const [, list = ""] = /^client:\n((?: {2}.*\n|#.*\n|\n)*)/m.exec(text) ?? [];
    return [revision, [...list.matchAll(/^ {2}- (\S+)/gm)].map(([, name = ""]) => name)];
  }),
);

/** Runs the suite and returns its exit code and all that it wrote. */
function runSuite(...args: readonly string[]): Promise<{ readonly code: unknown; readonly text: string }> {
  return new Promise((resolve) => {
    const options = { timeout: 60_000, maxBuffer: 32 * 1024 * 1024 };
    execFile(process.execPath, [suite, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, text: stdout + stderr }),
    );
  });
}

for (const [revision, scenarios] of Object.entries(required))
  test.each(scenarios)(`MCP-12: the suite's client scenario %s of ${revision} passes`, async (scenario) => {
    const command = `${process.execPath} --conditions=gantry-source ${client}`;
    const chosen = ["--scenario", scenario, "--spec-version", revision];
    const { code, text } = await runSuite("client", ...chosen, "--command", command, "-o", folder());
    expect(text).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/);
    expect(code).toBe(0);
  });

test("MCP-12: 18 scenarios of a client are required by 2025-11-25, 32 by 2026-07-28", () => {
  expect(Object.values(required).map((names) => names.length)).toEqual([18, 32]);
});
