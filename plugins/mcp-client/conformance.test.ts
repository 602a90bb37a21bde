import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import { expect, test } from "vitest";
import { folder } from "./mcp.test-kit.ts";

const manifest = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json");
const suite = path.join(path.dirname(manifest), "dist/index.js");
const client = path.join(import.meta.dirname, "conformance-client.test-kit.ts");

/** The client scenarios that each revision required when it was released, but for those of OAuth. */
const required: Readonly<Record<string, readonly string[]>> = {
  "2025-11-25": ["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"],
  "2026-07-28": [
    "tools_call",
    "request-metadata",
    "sep-2322-client-request-state",
    "http-standard-headers",
    "http-custom-headers",
    "http-invalid-tool-headers",
    "json-schema-ref-no-deref",
  ],
};

/** Scenarios that no revision required when it was released, or that are of another kind of client. */
const leftOut: readonly (readonly [names: RegExp, why: string])[] = [
  [/^auth\//, "there is no login yet: a server takes what the owner writes into headers"],
  [/^sep-2640-/, "skills over MCP are an extension"],
  [/^json-schema-2020-12-preservation$/, "added after the release; references are unfolded for the model"],
];

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

test("MCP-12: every client scenario of the suite passes or is left out with its reason", async () => {
  const { text } = await runSuite("list", "--client");
  const [, client = ""] = /Client scenarios[^\n]*\n([^]*?)(?:\n\n|$)/.exec(text) ?? [];
  const named = [...client.matchAll(/^ +- (\S+) \[(.*)\]$/gm)].map(([, name = "", versions = ""]) => ({
    name,
    versions: versions.split(","),
  }));
  expect(named.length).toBeGreaterThan(40);
  const unnamed = named.filter(
    ({ name, versions }) =>
      !leftOut.some(([pattern]) => pattern.test(name)) &&
      !versions.every((version) => !(version in required) || required[version]?.includes(name)),
  );
  expect(unnamed).toEqual([]);
});
