import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Plugin } from "@gantry/sdk";
import { bundledPlugin, startTestHost, type TestHost, type TestHostOptions } from "@gantry/sdk/testing";
import { expect, onTestFinished } from "vitest";
import { factsBeside } from "./facts.ts";
import type { Bounds } from "./isolated.ts";
import { standIn } from "./stand-in.ts";

export const linux = process.platform === "linux";
/** The built process: what it loads finds the sdk beside it. */
const base = new URL("../../host/dist/plugins/isolated-plugins/index.js", import.meta.url).href;

/** A folder that goes with the test. */
export function folder(): string {
  const at = mkdtempSync(path.join(tmpdir(), "gantry-isolated-"));
  onTestFinished(() => rmSync(at, { recursive: true, force: true }));
  return at;
}

/** Writes the package of a plugin in plain JavaScript; returns its module. */
export function written(gantry: Readonly<Record<string, unknown>>, code: string): string {
  const at = folder();
  const facts = { name: "gantry-plugin-tried", type: "module", exports: "./index.js", gantry };
  writeFileSync(path.join(at, "package.json"), JSON.stringify(facts));
  writeFileSync(path.join(at, "index.js"), code);
  return path.join(at, "index.js");
}

export async function isolated(file: string, bounds: Partial<Bounds> = {}): Promise<Plugin> {
  const { facts, folder: own } = await factsBeside("tried", file);
  return standIn(facts, { base, entry: file, folder: own, bounds });
}

/** A host in which the plugin of this module runs in walls of its own. */
export async function startIsolated(
  file: string,
  { bounds, plugins = [], ...options }: Partial<TestHostOptions> & { bounds?: Partial<Bounds> } = {},
): Promise<TestHost> {
  const own = [await bundledPlugin("sandbox-landlock"), await isolated(file, bounds)];
  // A machine that does other things too is not the fault of a guard.
  return startTestHost({ plugins: [...own, ...plugins], timeouts: { hook: 50_000 }, ...options });
}

/** Resolves once something is so, or has not come to be so in 30 s. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  await expect.poll(isSo, { timeout: 30_000, interval: 20 }).toBe(true);
}

/** Code of a plugin with one tool, `tried`, whose `run` has this body. */
export const toolCode = (body: string, more = ""): string => `
import { definePlugin, Tools } from "@gantry/sdk";
${more}
export default definePlugin({
  name: "tool-tried",
  provides: [Tools],
  setup(host) {
    host.provide(Tools, {
      name: "tried",
      description: "Tries something.",
      input: { type: "object", properties: { what: { type: "string" } } },
      async run({ args, check, call, progress, signal, log }) { ${body} },
    });
  },
});
`;
export const toolFacts = { provides: ["tools"] };

/** Code of a plugin that guards every tool call by a handler with this body. */
export const guardCode = (body: string, more = ""): string => `
import { definePlugin, refuse, ask } from "@gantry/sdk";
${more}
export default definePlugin({
  name: "guard-tried",
  taps: ["beforeToolCall"],
  setup(host) {
    host.hooks.beforeToolCall.tap(async (call) => { ${body} });
  },
});
`;
export const guardFacts = { taps: ["beforeToolCall"] };
