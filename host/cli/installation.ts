import path from "node:path";
import {
  bundledIn,
  Host,
  hostReader,
  mergeSchemas,
  openConfiguration,
  openWorkspace,
  readerOf,
  readText,
  type ConfigText,
  type EditingHost,
  type LoadedPlugin,
  type LogWriter,
  type Opened,
  type Problem,
  type TableNode,
} from "@gantry/host";
import { Checks, type GantryError, type Plugin } from "@gantry/sdk";
import { allOf, ConfigEditor, type ConfigChange } from "@gantry/sdk/fill";
import { makeDir } from "@gantry/sdk/node";
import { ConfigFile, type ConfigFileDeps, type RunningTrial } from "./config/config-file.ts";
import { editText } from "./config/edit-text.ts";
import { effective } from "./config/effective.ts";
import { checkProviderIds } from "./config/provider-ids.ts";
import { checkProviderTables } from "./config/provider-tables.ts";
import { readTree, type ReadTree } from "./config/read-tree.ts";
import { refuseUnsafe } from "./config/refuse-unsafe.ts";
import { retiredKeys } from "./config/retired.ts";
import { ServiceEnv } from "./config/service-env.ts";
import { errors } from "./errors.ts";

export interface StartOptions {
  readonly debug: boolean;
  /** False leaves out onReady. */
  readonly ready?: boolean;
  /** Slots that the command does not read. */
  readonly unused?: readonly string[];
  /** The faults in the file that were left out of the text given. */
  readonly problems?: readonly Problem[];
}

/** One configuration directory, as one run of the command line sees it. */
export class Installation {
  readonly configDir: string;
  readonly configFile: string;
  /** The folder to work in for this run, in place of the configured workspace. */
  workspace: string | undefined;
  /**
   * The first word of the line, if no word of the host's own is meant: a plugin whose table has its
   * name is loaded.
   */
  word: string | undefined;
  /** True if `service.env` is read before the configuration. */
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
   * Reads, imports what is listed, checks everything; throws coded errors, several at once. No file
   * means the defaults. `unused` are slots that the command does not read: what only fills those is
   * not imported.
   */
  async open(given?: string | ConfigText, unused: readonly string[] = []): Promise<Opened> {
    if (this.readsServiceEnv) await this.#serviceEnv.addTo(process.env);
    const { configDir, configFile, word } = this;
    await refuseUnsafe(configDir, configFile);
    const { text, problems } = this.#read(given ?? (await readText(configFile)) ?? "");
    return openConfiguration({ configDir, text, problems, unused, word });
  }

  #read(text: string | ConfigText): Pick<ReadTree, "text" | "problems"> {
    if (typeof text !== "string") return { text, problems: [] };
    const read = readTree(this.configFile, text, process.env, this.onLeftOut !== undefined);
    if (read.leftOut.length > 0) this.onLeftOut?.(read.leftOut);
    return read;
  }

  /** Opens and starts a host, by the file or by the text given; the caller stops it. */
  async start(write: LogWriter, options: StartOptions, given?: string | ConfigText): Promise<Host> {
    await this.makeConfigDir();
    const { plugins, config, leftOut, absent } = await this.open(given, options.unused);
    const { configDir, configFile } = this;
    const workspace = await openWorkspace(configDir, config.host.security.workspace_path, this.workspace);
    const configEditor = (host: EditingHost): ConfigFile =>
      this.editor({ config, plugins }, (event) => host.audit.record(event), host);
    const host = new Host({
      plugins,
      leftOut,
      config,
      bundled: () => this.allBundled(),
      absent: () => bundledIn(configDir, absent),
      configDir,
      configFile,
      configEditor,
      check: async (started) => {
        checkProviderIds(started);
        await checkProviderTables(started);
      },
      workspace,
      write,
      debug: options.debug,
      problems: options.problems,
    });
    for (const { code, message } of retiredKeys(config)) host.log.warn({ code }, message);
    await host.start(options.ready);
    return host;
  }

  /**
   * Returns the editor of the file. The keys of the plugins in `opened` can be set, whoever wrote
   * them. `host` is the one that runs.
   */
  editor(
    opened: Pick<Opened, "config" | "plugins"> | undefined,
    record: ConfigFileDeps["record"],
    host?: EditingHost,
  ): ConfigFile {
    return new ConfigFile({
      file: this.configFile,
      schema: () => this.wholeSchema(opened?.plugins),
      effective: (key) => opened && effective(opened.config, key),
      edit: (text, changes) => this.edit(text, changes, opened?.plugins, host?.get(ConfigEditor)),
      onboarding: async () => (await this.allBundled()).flatMap(({ onboarding }) => onboarding ?? []),
      start: (text) => this.#trial(text),
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

  /** Starts by this text. Throws what channels lack by it, but for what they lack by the file. */
  async #trial(text: string): Promise<RunningTrial> {
    const start = (by?: string): Promise<Host> => this.start(() => {}, { debug: false, ready: false }, by);
    const host = await start(text);
    if (host.lacking.length > 0) {
      const now = await start().catch(() => undefined);
      await now?.stop();
      const isNew = ({ lacking, code }: Problem): boolean =>
        now?.lacking.some((one) => one.lacking === lacking && one.code === code) !== true;
      const wrong = allOf(host.lacking.filter(isNew));
      if (wrong) await host.stop();
      if (wrong) throw wrong;
    }
    return { models: host.models, checks: host.get(Checks) ?? new Map(), stop: () => host.stop() };
  }

  /**
   * Returns the schema of every bundled plugin, loaded or not, and of the others that are loaded.
   */
  async wholeSchema(loaded: readonly LoadedPlugin[] = []): Promise<TableNode> {
    const bundled = await this.allBundled();
    const others = loaded
      .map(({ plugin }) => plugin)
      .filter(({ name }) => !bundled.some((plugin) => plugin.name === name));
    return mergeSchemas([hostReader, ...[...bundled, ...others].flatMap((plugin) => readerOf(plugin) ?? [])]);
  }

  allBundled(): Promise<readonly Plugin[]> {
    return bundledIn(this.configDir);
  }

  async makeConfigDir(): Promise<void> {
    try {
      makeDir(this.configDir);
    } catch (error) {
      throw errors.CONFIG_UNWRITABLE(this.configDir, (error as NodeJS.ErrnoException).code ?? String(error));
    }
  }
}
