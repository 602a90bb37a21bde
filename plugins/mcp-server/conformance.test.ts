import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { bundledPlugin, fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startGateway, type TestGateway } from "../gateway-http/gateway.test-kit.ts";
import plugin from "./index.ts";
import { runs, suiteTools } from "./suite-tools.test-kit.ts";

const manifest = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json");
const suite = path.join(path.dirname(manifest), "dist/index.js");

/** What the suite requires of a server and this one does not have, with the reason. */
const leftOut: readonly (readonly [scenarios: RegExp, why: string])[] = [
  [/^NONE/, ""],
];

/** The lists that were frozen with each revision. */
const required = ["2025-11-25", "2026-07-28"].map((revision) => {
  const text = readFileSync(path.join(path.dirname(manifest), `requirements/${revision}.yaml`), "utf8");
  const [, list = ""] = /^server:\n((?: {2}.*\n|#.*\n|\n)*)/m.exec(text) ?? [];
  return [revision, [...list.matchAll(/^ {2}- (\S+)/gm)].map(([, name = ""]) => name)] as const;
});

let gateway: TestGateway;
beforeAll(async () => {
  const plugins = [memoryStore(), fakeProvider(["ok"]), await bundledPlugin("ask-words"), suiteTools, plugin];
  // The suite sends no token, so that every program of this machine is the owner.
  const config = { mcp: { serve: { tools: Object.keys(runs) } }, agent: { autonomy_level: "autonomous" } };
  const table = { require_pairing: false, requests_per_minute: 10_000 };
  gateway = await startGateway({ plugins, config, gateway: table });
});
afterAll(() => gateway.stop());

/** Runs one scenario of the suite and returns its exit code and all that it wrote. */
function runSuite(...args: readonly string[]): Promise<{ readonly code: unknown; readonly text: string }> {
  const output = mkdtempSync(path.join(tmpdir(), "suite-"));
  const given = [suite, "server", "--url", `${gateway.url}/mcp`, "-o", output, ...args];
  return new Promise((resolve) => {
    const options = { timeout: 60_000, maxBuffer: 32 * 1024 * 1024 };
    execFile(process.execPath, given, options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, text: stdout + stderr }),
    );
  });
}

for (const [revision, scenarios] of required)
  test.each(scenarios.filter((name) => !leftOut.some(([pattern]) => pattern.test(name))))(
    `MCP-12: the suite's server scenario %s of ${revision} passes`,
    async (scenario) => {
      const { code, text } = await runSuite("--scenario", scenario, "--spec-version", revision);
      expect(text).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/);
      expect(code).toBe(0);
    },
  );
