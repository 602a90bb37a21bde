import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  directMessage,
  AuditSinks,
  Checks,
  Runtime,
  type AnySlot,
  type AuditEvent,
  type Filled,
  type Plugin,
} from "../index.ts";
import { allOf, MessageWorker } from "../fill.ts";
import {
  bundledIn,
  bundledPlugins,
  checkManifest,
  configure,
  fillersOf,
  Host,
  hostErrors,
  loadPlugin,
  openWorkspace,
  parseToml,
  PluginInstance,
  readText,
  valueAt,
} from "@gantry/host";
import type { AlonePlugin, Around, LogLine, TestHost, TestHostOptions } from "./test-host-types.ts";

type ScopeDeps = ConstructorParameters<typeof PluginInstance>[2];

/**
 * Plugins as a host with this configuration directory would find them; nothing of them runs but
 * their modules.
 */
export function openLoader(configDir: string): {
  load(name: string): Promise<Plugin>;
  bundled(): Promise<readonly Plugin[]>;
  /** Reads a configuration file as it is written; throws CONFIG_*. */
  config(file: string): Promise<Readonly<Record<string, unknown>>>;
  /** A plugin without a host: what it registers and reads is the caller's. */
  alone(plugin: Plugin, config: unknown, around: Around): AlonePlugin;
} {
  return {
    load: async (name) => (await loadPlugin(name, configDir, await bundledPlugins())).plugin,
    bundled: () => bundledIn(configDir),
    alone: (plugin, config, around) => new PluginInstance(plugin, config, around as ScopeDeps),
    async config(file) {
      const text = await readText(file);
      if (text === undefined) throw hostErrors.CONFIG_UNREADABLE(file, "ENOENT");
      return parseToml(file, text);
    },
  };
}

/** Returns the bundled plugin that works off messages, unless one of `plugins` does. */
async function workerBeside(plugins: readonly Plugin[], configDir: string): Promise<readonly Plugin[]> {
  if (fillersOf(MessageWorker.id, plugins).length > 0) return [];
  const bundled = await bundledPlugins();
  const worker = bundled.find(({ provides }) => provides?.includes(MessageWorker.id));
  return worker ? [(await loadPlugin(worker.name, configDir, bundled)).plugin] : [];
}

/** The real host for tests; see startTestHost in test-host.ts, which is the door to it. */
export async function startTestHost(options: TestHostOptions): Promise<TestHost> {
  const configDir = options.configDir ?? (await mkdtemp(path.join(tmpdir(), "gantry-test-")));
  const logs: LogLine[] = [];
  const audit: AuditEvent[] = [];
  const tree = options.config ?? {};
  const text = { file: "config.toml", tree, lineOf: () => 1 };
  const given = options.plugins.map((plugin) => checkManifest(plugin.name, plugin));
  const plugins = [...given, ...(await workerBeside(given, configDir))];
  const config = await configure(text, plugins, [], async () => []);
  const host: Host = new Host({
    plugins: plugins.map((plugin) => ({ plugin, from: "test" })),
    config,
    levelHeldOutside: true,
    bundled: () => bundledIn(configDir),
    configDir,
    configFile: path.join(configDir, "config.toml"),
    configEditor: () => ({
      get: (key) => valueAt(tree, key),
      schema: async () => ({}),
      set: async () => {},
      reload: async () => ({ applied: [], needRestart: [] }),
      onboarding: async () => [],
      trial: (_, work) => work({ models: host.models, checks: host.get(Checks) ?? new Map() }),
    }),
    workspace: await openWorkspace(configDir, config.host.security.workspace_path),
    write: (level, detail, message) => void logs.push({ level, detail, message }),
    ...(options.timeouts && { timeouts: options.timeouts }),
  });
  host.registry.put("test", AuditSinks, {
    name: "test",
    write: async (event: AuditEvent) => void audit.push(event),
  });
  let stopped = false;
  const stop = async (): Promise<void> => {
    if (stopped) return;
    stopped = true;
    await host.stop();
    if (!options.configDir) await rm(configDir, { recursive: true, force: true });
  };
  try {
    await host.start(options.ready);
    const wrong = allOf(host.lacking);
    if (wrong) throw wrong;
  } catch (error) {
    await stop();
    throw error;
  }
  const signal = new AbortController().signal;
  return {
    configDir,
    runtime: host.get(Runtime) as Runtime,
    audit,
    logs,
    slot: <S extends AnySlot>(slot: S) => host.get(slot) as Filled<S>,
    call: (tool, args, call = {}) =>
      host.calls.run({ session: "test", user: "cli:test", signal, approvals: "none", ...call, tool, args }),
    explain: (tool, args) => host.policy.explain(tool, args, "cli:test"),
    ask: (said, { user = "cli:test", session = "test", ...ask } = {}) => {
      const [channel = "cli", sender = "test"] = user.split(":");
      const id = `${Date.now()}`;
      const message = directMessage({ channel, id, from: sender, text: said, trust: "owner", session });
      return host.inbox.prompt(message, { signal, approvals: "none", ...ask });
    },
    resolveProvider: ({ provider, model }) => host.models.resolve(provider, model),
    registrations: () => [
      ...host.registry.list().map(({ slot, name, plugin }) => `${plugin}: ${slot} ${name}`),
      ...host.hooks.list().map(({ hook, plugin }) => `${plugin}: ${hook}`),
    ],
    serve: (services) => host.serving.start(services),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
