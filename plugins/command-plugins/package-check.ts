import { SDK_LEVEL } from "@gantry/sdk";
import { EARLIER_LEVEL } from "@gantry/sdk/fill";
import { pluginModule, type StatedManifest } from "@gantry/sdk/node";
import { readAhead, type Ahead } from "./ahead.ts";
import { errors } from "./errors.ts";
import type { PackageFacts } from "./entry.ts";
import { readStated } from "./facts.ts";

const fromHost = new Set(["@gantry/sdk", "typebox"]);
const npmName = /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/;

/** The fault of a package that a host finds no module in. */
export const noModule = "its `exports` name no file in it";

export interface PluginPackage {
  readonly name: string;
  readonly version: string;
  readonly stated: StatedManifest;
  /** The tools and keys that it states before its code runs. */
  readonly ahead: Ahead;
  /** Scripts that npm would have run and that are not run here. */
  readonly scripts: readonly string[];
  /** It states the sdk level that it was written for, which is this one. */
  readonly hasLevel: boolean;
}

/**
 * Says how the sdk that the package was written for is another than this one: by its level, else by
 * its peer range.
 */
async function asksForOtherSdk(facts: PackageFacts, version: string): Promise<string | undefined> {
  const { sdk: level } = (facts.gantry ?? {}) as { sdk?: unknown };
  if (level !== undefined && level !== SDK_LEVEL && level !== EARLIER_LEVEL)
    return `it was written for sdk level ${String(level)} and this host speaks level ${SDK_LEVEL}`;
  if (level !== undefined) return undefined;
  const range = ((facts.peerDependencies ?? {}) as Record<string, unknown>)["@gantry/sdk"];
  if (range === undefined) return undefined;
  const { default: satisfies } = await import("semver/functions/satisfies.js");
  return typeof range === "string" && satisfies(version, range, { includePrerelease: true })
    ? undefined
    : `it asks for @gantry/sdk ${String(range)} and this is ${version}`;
}

/**
 * Reads package.json of an unpacked tarball, running nothing. Throws `PLUGINS_PACKAGE` and
 * `PLUGINS_DEPENDENCIES`.
 */
export async function checkPackage(
  spec: string,
  files: ReadonlyMap<string, Uint8Array>,
  sdkVersion: string,
): Promise<PluginPackage> {
  const text = files.get("package.json");
  let facts: PackageFacts;
  try {
    facts = JSON.parse(new TextDecoder().decode(text)) as PackageFacts;
  } catch {
    throw errors.PLUGINS_PACKAGE(spec, "it has no readable package.json");
  }
  const { name, version } = facts;
  if (typeof name !== "string" || !npmName.test(name) || name.includes("..") || name.length > 214)
    throw errors.PLUGINS_PACKAGE(spec, "its name is none of a package");
  if (typeof version !== "string" || !/^\d+\.\d+\.\d+(?!\d)[\w.+-]*$/.test(version))
    throw errors.PLUGINS_PACKAGE(spec, "it has no exact version");
  const module = pluginModule(facts)?.replace(/^\.\//, "");
  if (module === undefined || !files.has(module)) throw errors.PLUGINS_PACKAGE(spec, noModule);
  const stated = readStated(facts.gantry);
  if (!stated)
    throw errors.PLUGINS_PACKAGE(
      spec,
      "its package.json does not state needs, provides and taps under `gantry`",
    );
  const ahead = readAhead(facts.gantry);
  if (typeof ahead === "string") throw errors.PLUGINS_PACKAGE(spec, ahead);
  const otherSdk = await asksForOtherSdk(facts, sdkVersion);
  if (otherSdk) throw errors.PLUGINS_PACKAGE(spec, otherSdk);
  const others = [facts.dependencies, facts.optionalDependencies, facts.peerDependencies]
    .flatMap((table) => Object.keys((table ?? {}) as object))
    .filter((dependency) => !fromHost.has(dependency));
  if (others.length > 0) throw errors.PLUGINS_DEPENDENCIES(name, others.join(", "));
  const scripts = Object.keys((facts.scripts ?? {}) as object).filter((script) =>
    /^(?:pre|post)?install$|^prepare$/.test(script),
  );
  const hasLevel = ((facts.gantry ?? {}) as { sdk?: unknown }).sdk !== undefined;
  return { name, version, stated, ahead, scripts, hasLevel };
}
