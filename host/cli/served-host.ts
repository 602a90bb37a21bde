import { stat } from "node:fs/promises";
import { GantryError } from "@gantry/sdk";
import { allOf } from "@gantry/sdk/fill";
import { asError, configHash, removeRunning, writeRunning, type RunningRecord } from "@gantry/sdk/node";
import { type Host, readText, version } from "@gantry/host";
import { changedKeys } from "./config/effective.ts";
import { errors } from "./errors.ts";
import { type Installation } from "./installation.ts";

/** A port that the one before still holds is free in a moment. */
const againMs = 50;
const patienceMs = 5_000;

/**
 * The host that serves, and its successors: a changed configuration is set up whole beside the one
 * in force, which takes no new work from then on and ends what it has. What does not start changes
 * nothing.
 */
export class ServedHost {
  readonly #installation: Installation;
  readonly #services: readonly string[] | undefined;
  readonly #start: () => Promise<Host>;
  readonly #retired = new Map<Host, Promise<void>>();
  #host: Host;
  #record: RunningRecord;
  #reloading: Promise<void> = Promise.resolve();
  /**
   * True if the host that serves was read from a file: a file that is gone since does not ask for
   * the defaults.
   */
  #hasFile = false;

  constructor(
    installation: Installation,
    host: Host,
    services: readonly string[] | undefined,
    start: () => Promise<Host>,
  ) {
    this.#installation = installation;
    this.#host = host;
    this.#services = services;
    this.#start = start;
    const now = { pid: process.pid, version, started: new Date().toISOString() };
    this.#record = { ...now, config: "", reloads: 0, changed: [], restart: [] };
  }

  /** The one that takes new work. */
  get host(): Host {
    return this.#host;
  }

  async start(): Promise<void> {
    const text = await readText(this.#installation.configFile);
    this.#hasFile = text !== undefined;
    await this.#host.serving.start(this.#services);
    await this.#note({ config: configHash(text) });
  }

  /**
   * Never throws: what is wrong is logged and told to whoever asked, and the configuration in force
   * stays.
   */
  reload(): Promise<void> {
    this.#reloading = this.#reloading.then(async () => {
      try {
        await this.#reload();
      } catch (error) {
        const { message } = asError(error);
        const code = error instanceof GantryError ? error.code : undefined;
        this.#host.log.error({ code }, `The configuration in force stays: ${message}`);
        await this.#note({ problem: message, changed: [], restart: [] });
      }
    });
    return this.#reloading;
  }

  async stop(): Promise<void> {
    await this.#reloading;
    // Work that began by an earlier configuration gets no more time than the rest.
    const hosts = [this.#host, ...this.#retired.keys()];
    await Promise.all(hosts.map((host) => host.serving.stop()));
    await Promise.all(this.#retired.values());
    await removeRunning(this.#installation.configDir);
  }

  async #reload(): Promise<void> {
    const { configFile } = this.#installation;
    const text = await readText(configFile);
    if (text === undefined && this.#hasFile) throw errors.CONFIG_GONE(configFile);
    const [before, next] = [this.#host, await this.#start()];
    const wrong = allOf(next.lacking);
    if (wrong) await next.stop();
    if (wrong) throw wrong;
    const changed = changedKeys(before.options.config, next.options.config);
    const restart = [...changed.restart, ...(await this.#changedPlugins(next))];
    try {
      const args = { keys: changed.all };
      await next.audit.record({
        event_type: "config_change",
        tool: "",
        args,
        result: "applied",
        user: "owner",
        session_id: "",
      });
      await this.#handOver(before, next);
    } catch (error) {
      await next.stop();
      throw error;
    }
    this.#host = next;
    this.#hasFile = text !== undefined;
    next.log.info(
      { changed: changed.all },
      `The configuration was read again: ${list(changed.all)} changed.`,
    );
    if (restart.length > 0)
      next.log.warn({ restart }, `A restart is needed for ${list(restart)}: what runs has the old values.`);
    await this.#note({ config: configHash(text), changed: changed.all, restart });
  }

  /** Hands serving over; if the next host cannot serve, the one before does again. */
  async #handOver(before: Host, next: Host): Promise<void> {
    const { lock, ended } = before.serving.retire();
    try {
      await this.#serve(next, lock);
    } catch (error) {
      await this.#serve(before, lock);
      throw error;
    }
    const gone = ended.then(() => before.stop()).finally(() => this.#retired.delete(before));
    this.#retired.set(before, gone);
  }

  async #serve(host: Host, lock: ReturnType<Host["serving"]["retire"]>["lock"]): Promise<void> {
    const until = performance.now() + patienceMs;
    for (;;) {
      try {
        return await host.serving.start(this.#services, lock);
      } catch (error) {
        if (!isTaken(error) || performance.now() > until) throw error;
        await new Promise((resolve) => setTimeout(resolve, againMs));
      }
    }
  }

  /**
   * Node keeps every module it has loaded: a plugin of one's own that was changed since needs a new
   * process.
   */
  async #changedPlugins(host: Host): Promise<readonly string[]> {
    const since = Date.parse(this.#record.started);
    const own = host.options.plugins.filter(({ from }) => from !== "bundled");
    const times = await Promise.all(
      own.map(({ from }) =>
        stat(from).then(
          ({ mtimeMs }) => mtimeMs,
          () => 0,
        ),
      ),
    );
    const changed = own.filter((_, i) => Number(times[i]) > since);
    return changed.map(({ plugin }) => `the plugin ${plugin.name}`);
  }

  async #note(news: Partial<RunningRecord>): Promise<void> {
    const { problem: _, ...rest } = this.#record;
    const isReload = this.#record.config !== "";
    this.#record = { ...rest, ...news, reloads: rest.reloads + (isReload ? 1 : 0) };
    await writeRunning(this.#installation.configDir, this.#record).catch((error: Error) =>
      this.#host.log.warn({ err: error }, "What runs could not be noted, so `gantry status` cannot tell it."),
    );
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof GantryError && error.code.endsWith("_IN_USE");
}

function list(names: readonly string[]): string {
  return names.join(", ") || "nothing";
}
