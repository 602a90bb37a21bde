import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { defineConfig } from "tsdown";
import type { AnySlot, Plugin } from "@gantry/sdk";
import { asciiOnly } from "./ascii-only.ts";
import { lazyBuiltins } from "./lazy-builtins.ts";
import { basePlugins, isTogether, isTogetherIndex, togetherEntry } from "./base-plugins.ts";
import { oneCopy } from "./one-copy.ts";
import { leaves } from "../host/cli/config/leaves.ts";
import { configOf } from "../sdk/testing/check-apart/own-facts.ts";
import { pageBuilds } from "./page-builds.ts";

const root = path.join(import.meta.dirname, "..");
const { version } = JSON.parse(readFileSync(path.join(root, "host/package.json"), "utf8")) as {
  version: string;
};
const plugins = readdirSync(path.join(root, "plugins")).filter((name) =>
  existsSync(path.join(root, "plugins", name, "index.ts")),
);

/** The rooms of the sdk that each turn needs. */
const sdkRooms = "contract|messages|models|provider-kit|security|store|tools|turns";

const hostRooms = "cli/config|cli|messages|turn|tools|record|config|plugins";

/** Files of the host that not every command reads, by the beginnings of their names. */
const lazyHost =
  "cli|main|compile-later|config-dir|watch|index|starting-file|line-reader|past|plain-lines|resume-picker|status-line|take-interrupts|import-foreign|level";

/** Returns what tells the sources that stand right below these folders, written with slashes. */
function filesBelow(...folders: readonly string[]): RegExp {
  return new RegExp(String.raw`[\\/](?:${folders.join("|").replaceAll("/", String.raw`[\\/]`)})[a-z-]+\.ts$`);
}

/** The errors of plugins that only serve or give words. */
const ownErrors = /[\\/]plugins[\\/](?:command|console|gateway|mcp|service)-[a-z]+[\\/]errors\.ts$/;

/**
 * Each plugin is one file; a `*-worker.ts` beside it is one more, since a thread starts from a
 * file.
 */
function pluginEntries(): Record<string, string> {
  return Object.fromEntries(
    plugins.flatMap((name) => {
      const folder = path.join(root, "plugins", name);
      const workers = readdirSync(folder).filter((file) => file.endsWith("-worker.ts"));
      return ["index.ts", ...workers].map((file) => [
        `plugins/${name}/${file.slice(0, -3)}`,
        path.join(folder, file),
      ]);
    }),
  );
}

/**
 * Writes the facts that the host must know of a plugin without importing it, read off the built
 * plugin itself.
 */
async function writeFacts(): Promise<void> {
  const { mergeSchemas, readerOf } = (await import(path.join(root, "host/dist/index.js"))) as Pick<
    typeof import("@gantry/host"),
    "mergeSchemas" | "readerOf"
  >;
  const keysOf = (plugin: Plugin): readonly string[] => {
    const reader = readerOf(plugin);
    return reader ? [...leaves(mergeSchemas([reader]))].map(({ key }) => key) : [];
  };
  const facts = await Promise.all(
    plugins.map(async (name) => {
      const { gantry = {} } = JSON.parse(
        readFileSync(path.join(root, "plugins", name, "package.json"), "utf8"),
      ) as {
        gantry?: { base?: boolean; tables?: string[]; role?: string; loads?: string; inService?: string };
      };
      const { default: plugin } = (await import(path.join(root, "host/dist/plugins", name, "index.js"))) as {
        default: Plugin;
      };
      const { inService } = gantry;
      const own = { name, gantry: { ...statedBy(plugin), ...(inService && { inService }) } };
      writeFileSync(path.join(root, "host/dist/plugins", name, "facts.json"), JSON.stringify(own));
      return {
        name,
        base: gantry.base === true,
        together: isTogether(name),
        tables: gantry.tables ?? [],
        ...(gantry.role && { role: gantry.role }),
        ...(gantry.loads && { loads: gantry.loads }),
        provides: (plugin.provides ?? []).map(({ id }) => id),
        taps: plugin.taps ?? [],
        keys: keysOf(plugin),
      };
    }),
  );
  writeFileSync(path.join(root, "host/dist/plugins.json"), JSON.stringify(facts));
}

/** Returns what an installed plugin would state in its package.json. */
function statedBy(plugin: Plugin): object {
  const { sdk, needs = {}, provides = [], taps = [], enforces = [] } = plugin;
  const needed = Object.values(needs as Readonly<Record<string, AnySlot>>).map(({ id }) => id);
  const slots = { needs: needed, provides: provides.map(({ id }) => id) };
  return { sdk, ...slots, taps, enforces, config: configOf(plugin) };
}

const started = Date.now();

/** Files that a plugin copies for people stand beside it as they are. */
function copyTemplates(): void {
  for (const name of plugins) {
    const template = path.join(root, "plugins", name, "template");
    if (existsSync(template))
      cpSync(template, path.join(root, "host/dist/plugins", name, "template"), { recursive: true });
  }
}

/** Removes the files of an earlier build, once this one has succeeded. */
function removeOlder(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const at = path.join(folder, entry.name);
    if (entry.isDirectory()) removeOlder(at);
    else if (statSync(at).mtimeMs < started - 1_000) rmSync(at);
  }
}

const product = defineConfig({
  cwd: root,
  entry: {
    cli: "host/cli/cli.ts",
    index: "host/index.ts",
    sdk: "sdk/index.ts",
    "sdk-fill": "sdk/fill.ts",
    "sdk-provider": "sdk/provider-kit/index.ts",
    "sdk-channel": "sdk/channel-kit/index.ts",
    "sdk-node": "sdk/node/index.ts",
    testing: "sdk/testing/index.ts",
    "level-2/sdk": "plugins/level-2/sdk.ts",
    "level-2/sdk-channel": "plugins/level-2/channel.ts",
    "level-2/sdk-node": "plugins/level-2/node.ts",
    "check-apart/process": "sdk/testing/check-apart/process.ts",
    "base-plugins": togetherEntry,
    typebox: "typebox",
    "typebox-value": "typebox/value",
    ...pluginEntries(),
  },
  outDir: "host/dist",
  format: "esm",
  platform: "node",
  target: "node22",
  fixedExtension: false,
  dts: false,
  clean: false,
  logLevel: "warn",
  // A third of the size is a twentieth of a start; `--debug` reads the maps, so that stacks name
  // the source.
  minify: true,
  sourcemap: true,
  define: { GANTRY_VERSION: JSON.stringify(version) },
  deps: {
    neverBundle: ["@serialport/bindings-cpp", "koffi", "jiti"],
    alwaysBundle: [/.*/],
    onlyBundle: false,
  },
  plugins: [lazyBuiltins, oneCopy, basePlugins],
  inputOptions: {
    checks: { bundlerTimings: false, ineffectiveDynamicImport: false },
    resolve: { conditionNames: ["gantry-source", "node", "import", "default"] },
  },
  outputOptions: {
    // A build never puts its code under a name that a running process may yet load.
    chunkFileNames: "[name]-[hash].js",
    codeSplitting: {
      groups: [
        // But for what its doors load where it is wanted.
        {
          name: "node",
          test: filesBelow(
            "sdk/node/(?!checked-proxy|decoy)",
            "sdk/security/(?=file-names)",
            "plugins/shared/",
            // The service and its workers share them.
            "plugins/sandbox-landlock/(?=errors|messages)",
            "plugins/sandbox-landlock/workspace/(?=git-settings)",
            "plugins/sandbox-landlock/service/(?=owner-git)",
          ),
        },
        { name: "sdk", test: filesBelow("sdk/", `sdk/(?:${sdkRooms})/`) },
        // The modules that every command reads, in one file: each file more costs a third of a
        // millisecond at every start.
        {
          name: "host",
          test: filesBelow(`host/(?!${lazyHost})`, `host/(?:${hostRooms})/(?!${lazyHost})`),
        },
        // Errors of plugins in files of their own, which a service reads one after the other.
        { name: "failures", test: ownErrors },
        // With what they import; but for what they load where it is wanted.
        { name: "base", test: isTogetherIndex },
      ],
    },
  },
  hooks: {
    "build:done": async () => {
      asciiOnly(path.join(root, "host/dist"));
      copyTemplates();
      await writeFacts();
      removeOlder(path.join(root, "host/dist"));
    },
  },
});

export default [product, ...pageBuilds(root, plugins)];
