import path from "node:path";
import { Checks, GantryError, type Plugin } from "@gantry/sdk";
import { ConfigEditor, type ConfigChange } from "@gantry/sdk/fill";
import { errors } from "./errors.ts";
import { bundledPlugins, isIdle } from "./plugins/bundled.ts";
import { chosenPlugins } from "./config/choose.ts";
import { editText } from "./config/edit-text.ts";
import { effective } from "./config/effective.ts";
import { ConfigFile, valueAt, type ConfigFileDeps, type RunningTrial } from "./config/config-file.ts";
import { configure, type Configured } from "./config/configure.ts";
import { hostReader } from "./config/host-keys.ts";
import { readText, readTree, type ReadTree } from "./config/read.ts";
import { ServiceEnv } from "./config/service-env.ts";
import { refuseUnsafe } from "./config/refuse-unsafe.ts";
import { wrongAt, type Problem } from "./config/wrong-at.ts";
import { mergeSchemas, readerOf, type TableNode } from "./config/schema.ts";
import type { ConfigText } from "./config/check.ts";
import type { EditingHost } from "./host-options.ts";
import { Host } from "./host.ts";
import { loadPlugin, type LoadedPlugin } from "./plugins/loader.ts";
import { loadChosen, type LeftOut } from "./plugins/load-chosen.ts";
import type { LogWriter } from "./record/log.ts";
import { makeDir } from "@gantry/sdk/node";
import { openWorkspace } from "./config/workspace.ts";

/** A configuration that was read and checked, with its plugins imported and nothing started. */
export interface Opened {
  readonly exists: boolean;
  readonly plugins: readonly LoadedPlugin[];
  readonly config: Configured;
  /** Optional plugins that could not be loaded. */
  readonly leftOut: readonly LeftOut[];
  /** Plugins of the base set that the file leaves out, by name. */
  readonly absent: readonly string[];
}

export interface StartOptions {
  readonly debug: boolean;
  /** False leaves out onReady. */
  readonly ready?: boolean;
  /** Slots that the command does not read. */
  readonly unused?: readonly string[];
  /** What is wrong in the file and was left out of the text given; plugins that lack something are left out here. */
  readonly problems?: readonly Problem[];
}

/** One configuration directory, as one run of the command line sees it. */
export class Installation {
  readonly configDir: string;
  readonly configFile: string;
  /** The folder to work in for this run, in place of the configured workspace. */
  workspace: string | undefined;
  /** Whether `service.env` is read before the configuration. */
  readsServiceEnv = false;
  readonly #serviceEnv: ServiceEnv;
  /** Told why keys are left out, as their variables are not set; without it that is an error. */
  onLeftOut: ((missing: readonly GantryError[]) => void) | undefined;

  constructor(configDir: string) {
    this.configDir = configDir;
    this.configFile = path.join(configDir, "config.toml");
    this.#serviceEnv = new ServiceEnv(configDir);
  }

  /** The text of the file; throws CONFIG_MISSING where there is none. */
  async text(): Promise<string> {
    const text = await readText(this.configFile);
    if (text === undefined) throw errors.CONFIG_MISSING(this.configFile);
    return text;
  }

  /**
   * Reads, imports what is listed, checks everything; throws coded errors, several at once. No file means the defaults.
   * `unused` are slots that the command does not read: what only fills those is not imported.
   */
  async open(given?: string | ConfigText, unused: readonly string[] = []): Promise<Opened> {
    await refuseUnsafe(this.configDir, this.configFile);
    const text = given ?? (await readText(this.configFile));
    if (this.readsServiceEnv) await this.#serviceEnv.addTo(process.env);
    const { text: parsed, problems } = this.#read(text ?? "");
    const { plugins, leftOut, absent } = await this.#load(parsed, problems, unused);
    const config = await configure(
      parsed,
      plugins.map(({ plugin }) => plugin),
      problems,
      () => this.allBundled(),
    );
    return { exists: text !== undefined, plugins, config, leftOut, absent };
  }

  /** Opens and starts a host, by the file or by the text given; the caller stops it. */
  async start(write: LogWriter, options: StartOptions, given?: string | ConfigText): Promise<Host> {
    await this.makeConfigDir();
    const { plugins: opened, config, leftOut, absent } = await this.open(given, options.unused);
    const plugins = opened.map((one) => {
      const isLacking = options.problems?.some(({ lacking }) => lacking === one.plugin.name) === true;
      return isLacking ? { ...one, optional: true } : one;
    });
    const { configDir, configFile } = this;
    const workspace = await openWorkspace(configDir, config.host.security.workspace_path, this.workspace);
    const configEditor = (host: EditingHost): ConfigFile =>
      this.editor({ config, plugins }, (event) => host.audit.record(event), options.problems, host);
    const host = new Host({
      plugins,
      leftOut,
      config,
      bundled: () => this.allBundled(),
      absent: () => this.#bundled(absent),
      configDir,
      configFile,
      configEditor,
      workspace,
      write,
      debug: options.debug,
      problems: options.problems,
    });
    await host.start(options.ready);
    return host;
  }

  /**
   * Returns the editor of the file. The keys of the plugins in `opened` can be set, whoever wrote
   * them. `problems` are those before any change. `host` is the one that runs.
   */
  editor(
    opened: Pick<Opened, "config" | "plugins"> | undefined,
    record: ConfigFileDeps["record"],
    problems: readonly Problem[] = [],
    host?: EditingHost,
  ): ConfigFile {
    return new ConfigFile({
      file: this.configFile,
      schema: () => this.wholeSchema(opened?.plugins),
      effective: (key) => opened && effective(opened.config, key),
      edit: (text, changes) => this.edit(text, changes, opened?.plugins, host?.get(ConfigEditor)),
      onboarding: async () => (await this.allBundled()).flatMap(({ onboarding }) => onboarding ?? []),
      start: (text) => this.#trial(text, []),
      trial: (text) => this.#trial(text, problems),
      record,
    });
  }

  /** Returns the text with these keys changed; throws as `editText`. */
  edit(
    text: string,
    changes: readonly ConfigChange[],
    loaded: readonly LoadedPlugin[] = [],
    running?: ConfigEditor,
  ): Promise<string> {
    return editText(this.configFile, text, changes, running, async () => [
      ...loaded.map(({ plugin }) => plugin),
      ...(await this.allBundled()),
    ]);
  }

  /** Starts by this text; of the known problems, plugins that lack something still are left out. */
  async #trial(
    text: string,
    known: readonly Problem[],
    problems: readonly Problem[] = [],
  ): Promise<RunningTrial> {
    try {
      const host = await this.start(() => {}, { debug: false, ready: false, problems }, text);
      return { models: host.models, checks: host.get(Checks) ?? new Map(), stop: () => host.stop() };
    } catch (error) {
      const { lacking, code } = error as Problem;
      const same = lacking && known.find((one) => one.lacking === lacking && one.code === code);
      if (!same) throw error;
      return this.#trial(text, known, [...problems, same]);
    }
  }

  /** Of every bundled plugin, loaded or not. */
  async wholeSchema(loaded: readonly LoadedPlugin[] = []): Promise<TableNode> {
    const bundled = await this.allBundled();
    const others = loaded
      .map(({ plugin }) => plugin)
      .filter(({ name }) => !bundled.some((plugin) => plugin.name === name));
    return mergeSchemas([hostReader, ...[...bundled, ...others].flatMap((plugin) => readerOf(plugin) ?? [])]);
  }

  async allBundled(): Promise<readonly Plugin[]> {
    return this.#bundled((await bundledPlugins()).map(({ name }) => name));
  }

  async #bundled(names: readonly string[]): Promise<readonly Plugin[]> {
    const bundled = await bundledPlugins();
    const loaded = await Promise.all(names.map((name) => loadPlugin(name, this.configDir, bundled)));
    return loaded.map(({ plugin }) => plugin);
  }

  async makeConfigDir(): Promise<void> {
    try {
      makeDir(this.configDir);
    } catch (error) {
      throw errors.CONFIG_UNWRITABLE(this.configDir, (error as NodeJS.ErrnoException).code ?? String(error));
    }
  }

  #read(text: string | ConfigText): Pick<ReadTree, "text" | "problems"> {
    if (typeof text !== "string") return { text, problems: [] };
    const read = readTree(this.configFile, text, process.env, this.onLeftOut !== undefined);
    if (read.leftOut.length > 0) this.onLeftOut?.(read.leftOut);
    return read;
  }

  async #load(
    text: ConfigText,
    problems: GantryError[],
    unused: readonly string[],
  ): Promise<Pick<Opened, "plugins" | "leftOut" | "absent">> {
    const bundled = await bundledPlugins();
    const has = (key: string): boolean => valueAt(text.tree, key) !== undefined;
    const idle = bundled.filter((plugin) => isIdle(plugin, unused, has)).map(({ name }) => name);
    const { names, optional } = chosenPlugins(text.tree, bundled);
    const wanted = { names: names.filter((name) => !idle.includes(name)), optional };
    const loaded = await loadChosen(wanted, this.configDir, bundled);
    problems.push(...loaded.problems.map(({ name, why }) => wrongAt(["plugins", name], why)));
    const absent = bundled.filter(({ name, base }) => base && !names.includes(name));
    return { ...loaded, absent: absent.map(({ name }) => name) };
  }
}
