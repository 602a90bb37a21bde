import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { environment, root } from "./helpers/cli.ts";
import { installedBin, installGlobally, packed } from "./helpers/package.ts";

/**
 * The packages that an author of plugins installs beside the sdk; all else that the examples need
 * is the packed package's.
 */
const authors = ["typebox", "vitest", "@types/node", "undici-types", "@modelcontextprotocol/client"];
/** The examples that are plugins; the others are files for programs around the service. */
const names = readdirSync(path.join(root, "examples")).filter((name) =>
  existsSync(path.join(root, "examples", name, "package.json")),
);

let dir = "";

beforeAll(async () => {
  dir = mkdtempSync(path.join(tmpdir(), "gantry-outside-"));
  await installGlobally(packed(), path.join(dir, "prefix"));
  const modules = path.join(dir, "node_modules");
  for (const name of ["@gantry/sdk", ...authors]) {
    const isSdk = name === "@gantry/sdk";
    const sdk = path.join(path.dirname(installedBin(path.join(dir, "prefix"))), "sdk");
    mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
    symlinkSync(isSdk ? sdk : path.join(root, "node_modules", name), path.join(modules, name));
  }
  for (const name of names)
    cpSync(path.join(root, "examples", name), path.join(dir, name), { recursive: true });
  writeFileSync(path.join(dir, "package.json"), '{"type":"module"}');
  const template = path.join(root, "plugins/command-plugins/template/common/tsconfig.json");
  const exclude = ["prefix", "**/*.test.ts", "**/*.test-kit.*"];
  const settings = { ...(JSON.parse(readFileSync(template, "utf8")) as object), exclude };
  writeFileSync(path.join(dir, "tsconfig.json"), JSON.stringify(settings));
}, 240_000);

afterAll(() => rmSync(dir, { recursive: true, force: true }));

function run(...args: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
  return new Promise((resolve) => {
    const options = { cwd: dir, env: environment({ dir: path.join(dir, "home") }) };
    execFile(process.execPath, [...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, said: stdout + stderr }),
    );
  });
}

test(
  "SDK-05: SDK-10: every example passes its own tests outside the repository, on the package as it is installed",
  { timeout: 400_000 },
  async () => {
    const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
    const limits = ["--testTimeout=180000", "--expect.poll.timeout=45000"];
    const { code, said } = await run(
      vitest,
      "run",
      "--no-isolate",
      "--no-color",
      "--maxWorkers=1",
      ...limits,
    );
    expect([code, said]).toEqual([0, expect.stringContaining(`Test Files  ${names.length} passed`)]);
  },
);

test("SDK-01: every example is well-typed against the declarations that are installed", async () => {
  const tsc = path.join(root, "node_modules/typescript/bin/tsc");
  expect(await run(tsc, "-p", dir)).toEqual({ code: 0, said: "" });
});
