import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
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

/** Scenarios that the suite requires of a server and this one does not have, with the reason. */
const leftOut: readonly (readonly [scenarios: RegExp, why: string])[] = [
  [/^resources-/, "it has no resources: files are read by tools, under their guards"],
  [/^prompts-/, "it has no prompts"],
  [/^completion-complete$/, "completion is of prompts and resources"],
  [/logging|^logging-set-level$/, "logging is deprecated, and the log is the owner's alone"],
  [/sampling|list-roots/, "a model of the client's is never used, nor are its folders; both are deprecated"],
  [/multiple-input-requests/, "its questions are of three kinds at once, sampling and roots among them"],
  [/capability-check/, "it asks for sampling from a client that has nothing else"],
  [/non-tool-request/, "it asks about a prompt"],
  [
    /basic-elicitation/,
    "it wants the question under a key of its own; here keys are ids. The same round trip: multi-round",
  ],
  [/sep1034|sep1330/, "forms of tools have neither defaults nor titles of choices"],
];

const isRun = (name: string): boolean => !leftOut.some(([pattern]) => pattern.test(name));

/** The checks of other scenarios that fail, with the reason. */
const failing: Readonly<Record<string, readonly (readonly [check: RegExp, why: string])[]>> = {
  caching: [[/(?:prompts|resources)-/, "it has neither prompts nor resources; tools/list passes"]],
  "server-stateless": [
    [
      /^sep-2575-(?:server-rejects-undeclared-capability|missing-capability-http-400)$/,
      "no tool needs a capability: a question that cannot be put is cancelled",
    ],
  ],
};

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

interface Check {
  readonly id: string;
  readonly status: string;
}

/** Runs one scenario of the suite and returns what it has checked. */
async function runSuite(...args: readonly string[]): Promise<readonly Check[]> {
  const output = mkdtempSync(path.join(tmpdir(), "suite-"));
  const given = [suite, "server", "--url", `${gateway.url}/mcp`, "-o", output, ...args];
  const options = { timeout: 60_000, maxBuffer: 32 * 1024 * 1024 };
  await new Promise<void>((resolve) => execFile(process.execPath, given, options, () => resolve()));
  const [folder = ""] = readdirSync(output);
  const checks = readFileSync(path.join(output, folder, "checks.json"), "utf8");
  rmSync(output, { recursive: true });
  return JSON.parse(checks) as readonly Check[];
}

for (const [revision, scenarios] of required)
  test.each(scenarios.filter(isRun))(
    `MCP-12: the suite's server scenario %s of ${revision} passes`,
    async (scenario) => {
      const checks = await runSuite("--scenario", scenario, "--spec-version", revision);
      const named = failing[scenario] ?? [];
      const others = checks.filter(({ id }) => !named.some(([check]) => check.test(id)));
      expect(others.filter(({ status }) => status === "FAILURE")).toEqual([]);
      expect(others.filter(({ status }) => status === "SUCCESS").length).toBeGreaterThan(0);
      for (const [check] of named)
        expect(checks).toContainEqual(
          expect.objectContaining({ id: expect.stringMatching(check), status: "FAILURE" }),
        );
    },
  );

test("MCP-12: 13 of 30 scenarios of a server are run, and 21 of 37; the others are named", () => {
  const counts = required.map(([, names]) => [names.filter(isRun).length, names.length]);
  expect(counts).toEqual([
    [13, 30],
    [21, 37],
  ]);
});
