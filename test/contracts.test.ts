import { existsSync, readFileSync } from "node:fs";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import type { Plugin } from "@gantry/sdk";
import { checkPlugin, fillersFor } from "@gantry/sdk/testing";
import { pluginNames } from "./helpers/sources.ts";

const folders = pluginNames().toSorted();
const load = async (folder: string): Promise<Plugin> =>
  ((await import(`../plugins/${folder}/index.ts`)) as { default: Plugin }).default;

/** A plugin that cannot start by its defaults has an example of its configuration beside it. */
function exampleOf(folder: string): Readonly<Record<string, unknown>> {
  const file = new URL(`../plugins/${folder}/example.toml`, import.meta.url);
  return existsSync(file) ? parse(readFileSync(file, "utf8")) : {};
}

/** It needs a server and an empty database for each case, which its own contract test has. */
const apart = "store-postgres";

test.for(folders.filter((folder) => folder !== apart))(
  "SDK-05: %s keeps the contract of its kind",
  { timeout: 300_000 },
  async (folder) => {
    const bundled = await Promise.all(folders.map(load));
    const plugin = await load(folder);
    expect(plugin.name).toBe(folder);
    const { findings, tried } = await checkPlugin({
      plugin,
      with: fillersFor(plugin, bundled),
      config: exampleOf(folder),
      // A machine that does other things too is not their fault.
      patienceMs: 45_000,
    });
    expect(findings.map(({ message }) => message)).toEqual([]);
    expect(tried).toBeGreaterThan(2);
  },
);
