import { realpath } from "node:fs/promises";
import { registerHooks } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { asError } from "@gantry/sdk/node";
import { errors } from "./errors.ts";
import { isEarlier, missingExport } from "./level.ts";

export { checkStatedLevel } from "./level.ts";

/**
 * Node's own way where it can (built JavaScript, erasable TypeScript), else jiti. Both see the
 * host's sdk and typebox.
 */
export async function importForeign(name: string, file: string, configDir: string): Promise<unknown> {
  shareModules();
  const isTypeScript = /\.[cm]?ts$/.test(file);
  const inPackage = file.includes(`${path.sep}node_modules${path.sep}`);
  if (!isTypeScript || !inPackage) {
    try {
      return ((await import(pathToFileURL(file).href)) as { default?: unknown }).default;
    } catch (error) {
      const missing = await missingExport(name, asError(error));
      if (missing) throw missing;
      if (!isTypeScript || !needsJiti(error)) throw errors.PLUGIN_IMPORT_FAILED(name, asError(error));
    }
  }
  const [{ createJiti }, ...shared] = await Promise.all([
    import("jiti"),
    ...sharedModules(await realpath(file)),
  ]);
  const jiti = createJiti(import.meta.url, {
    moduleCache: false,
    fsCache: path.join(configDir, "cache", "jiti"),
    virtualModules: Object.fromEntries(shared),
  });
  try {
    return await jiti.import(file, { default: true });
  } catch (error) {
    throw errors.PLUGIN_IMPORT_FAILED(name, asError(error));
  }
}

/** Enums and the like, and imports without an ending, are what type stripping cannot do. */
function needsJiti(error: unknown): boolean {
  const { code, message = "" } = error as NodeJS.ErrnoException;
  if (code === "ERR_MODULE_NOT_FOUND") return /'(?:file:\/\/)?\/[^']*'/.test(message);
  return (
    code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX" ||
    code === "ERR_INVALID_TYPESCRIPT_SYNTAX" ||
    code === "ERR_UNKNOWN_FILE_EXTENSION"
  );
}

let isHooked = false;
const isSource = import.meta.url.endsWith(".ts");

/** The host's own copies of what it shares with plugins. */
const copies: Readonly<Record<string, string>> = {
  "@gantry/sdk": "./sdk.js",
  "@gantry/sdk/fill": "./sdk-fill.js",
  "@gantry/sdk/provider": "./sdk-provider.js",
  "@gantry/sdk/channel": "./sdk-channel.js",
  "@gantry/sdk/node": "./sdk-node.js",
  "@gantry/sdk/testing": "./testing.js",
  typebox: "./typebox.js",
  "typebox/value": "./typebox-value.js",
};

/** The doors that plugins of the earlier level find in place of those above. */
const earlierCopies: Readonly<Record<string, string>> = {
  "@gantry/sdk": "./level-2/sdk.js",
  "@gantry/sdk/channel": "./level-2/sdk-channel.js",
  "@gantry/sdk/node": "./level-2/sdk-node.js",
};

/**
 * Returns the address of the copy that a module gets by a specifier; undefined if none is shared
 * by it.
 */
function copyFor(specifier: string, module: string | undefined): string | undefined {
  const found = (isEarlier(module) ? own(earlierCopies, specifier) : undefined) ?? own(copies, specifier);
  return found && new URL(found, import.meta.url).href;
}

function own(table: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** Returns each shared module by its specifier, as a file of a plugin gets it. */
function sharedModules(file: string): readonly Promise<readonly [string, unknown]>[] {
  return Object.keys(copies)
    .filter((specifier) => specifier !== "@gantry/sdk/testing")
    .map(async (specifier): Promise<readonly [string, unknown]> => {
      const copy = isSource ? specifier : copyFor(specifier, pathToFileURL(file).href);
      return [specifier, await import(copy ?? specifier)];
    });
}

/**
 * From now on every plugin that imports the sdk or typebox gets the host's own copy, wherever it
 * lies.
 */
function shareModules(): void {
  if (isHooked || isSource) return;
  isHooked = true;
  registerHooks({
    resolve(specifier, context, next) {
      const url = copyFor(specifier, context.parentURL);
      return url ? { url, format: "module", shortCircuit: true } : next(specifier, context);
    },
  });
}
