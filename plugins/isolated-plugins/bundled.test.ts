import { existsSync, readFileSync } from "node:fs";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { bundledPlugin, checkPlugin, fillersFor } from "@gantry/sdk/testing";
import { pluginNames } from "../../test/helpers/sources.ts";
import { readFacts } from "./facts.ts";
import { linux } from "./isolated.test-kit.ts";
import { standIn } from "./stand-in.ts";

const built = new URL("../../host/dist/plugins/", import.meta.url);
const names = pluginNames().toSorted();

function isolated(name: string) {
  const facts = readFacts(name, readFileSync(new URL(`${name}/facts.json`, built), "utf8"));
  const base = new URL("isolated-plugins/index.js", built).href;
  return standIn(facts, { base, entry: name, folder: undefined });
}

function exampleOf(name: string): Readonly<Record<string, unknown>> {
  const file = new URL(`../${name}/example.toml`, import.meta.url);
  return existsSync(file) ? parse(readFileSync(file, "utf8")) : {};
}

function why(name: string): string | undefined {
  try {
    isolated(name);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

test("x", () => {
  for (const name of names) console.log(name.padEnd(26), why(name)?.slice(0, 160) ?? "CAN");
});
const can = names.filter(
  (name) => why(name) === undefined && (!process.env.ONLY || process.env.ONLY.split(",").includes(name)),
);
test.runIf(linux).for(can)(
  "ISO-01: %s keeps the contract of its kind in a process of its own",
  { timeout: 300_000 },
  async (name) => {
    const bundled = await Promise.all(names.map(bundledPlugin));
    const sandbox = await bundledPlugin("sandbox-landlock");
    const plugin = isolated(name);
    const { findings, tried } = await checkPlugin({
      plugin,
      with: fillersFor(await bundledPlugin(name), bundled, [sandbox]),
      config: exampleOf(name),
      patienceMs: 45_000,
    });
    expect(findings.map(({ message }) => message)).toEqual([]);
    expect(tried).toBeGreaterThan(2);
  },
);
