import type { CheckRow, HookName, OpenProcess, PluginHost, Runtime, Sandbox } from "@gantry/sdk";
import type { TapOptions } from "@gantry/sdk/fill";
import { asError, withTimeout } from "@gantry/sdk/node";
import { errors } from "./errors.ts";
import type { Place } from "./facts.ts";
import { lend } from "./lent.ts";
import { Peer } from "./peer.ts";
import type { LoadedFacts, ToLoad, ToSetUp } from "./running-plugin.ts";
import { StandIns } from "./standing.ts";
import { logFor } from "./told-log.ts";
import type { Work } from "./values.ts";
import { lastWords, walledProcess } from "./walled-process.ts";

export interface Bounds {
  /** A process that says nothing for two such times, though it is asked to, is ended. */
  readonly silentMs: number;
  /** The wait after the first end; it doubles with each until one has lived for a minute. */
  readonly backoffMs: number;
  /** For each step of the life of a plugin. */
  readonly stepMs: number;
}

export const BOUNDS: Bounds = { silentMs: 5_000, backoffMs: 1_000, stepMs: 30_000 };
const MOST_BACKOFF_MS = 60_000;
const LIVED_MS = 60_000;
/** A plugin that has not said goodbye by then is ended. */
const STOP_MS = 5_000;

export interface IsolatedOptions {
  readonly place: Place;
  /** Its part of the configuration, from the root of config.toml on. */
  readonly config: ToSetUp["config"];
  /** The ids of the slots that it states to need. */
  readonly needs: readonly string[];
  /** The `import.meta.url` of the index of this plugin. */
  readonly base: string;
  readonly bounds: Bounds;
}

interface Needs {
  readonly sandbox: Sandbox;
  readonly runtime: Runtime;
}

/** One plugin in walled processes, of which one runs at a time. */
export class Isolated {
  readonly #host: PluginHost;
  readonly #needs: Needs;
  readonly #options: IsolatedOptions;
  readonly #standIns: StandIns;
  #peer: Peer | undefined;
  #process: OpenProcess | undefined;
  #steps: ("ready" | "serve")[] = [];
  #starts = 0;
  #failures = 0;
  /** Why the last process ended. */
  #ended = "it has not started";
  #retry: NodeJS.Timeout | undefined;
  /** Aborted once the plugin was disposed in its process, which the host's own signal is before. */
  readonly #ending = new AbortController();
  /** Processes that were ended as they answered nothing. */
  readonly #silent = new WeakSet<OpenProcess>();

  constructor(host: PluginHost, needs: Needs, options: IsolatedOptions) {
    this.#host = host;
    this.#needs = needs;
    this.#options = options;
    this.#standIns = new StandIns(host, () => errors.ISOLATED_ENDED(host.name, this.#ended));
  }

  /** Resolves once the plugin is set up. Throws what its setup throws. */
  async start(): Promise<void> {
    await this.#start();
    this.#host.onReady(() => this.#step("ready"));
    this.#host.onServe(() => this.#step("serve"));
  }

  async stop(): Promise<void> {
    clearTimeout(this.#retry);
    const late = (): Error => errors.ISOLATED_ENDED(this.#host.name, "it does not stop");
    await withTimeout(STOP_MS, this.#peer?.ask("dispose"), late).catch(() => undefined);
    this.#ending.abort();
    await this.#process?.close();
  }

  rows(): readonly CheckRow[] {
    const what = `plugin ${this.#host.name}`;
    const again = this.#starts > 1 ? `, started ${this.#starts} times` : "";
    if (this.#peer) return [{ what, state: "ok", detail: `isolated in a walled process of its own${again}` }];
    const detail = `its process has ended (${this.#ended})${again}; what it guards is refused until it runs`;
    return [{ what, state: "fail", detail, cure: "see the log; `gantry plugins check` tries the plugin" }];
  }

  async #step(step: "ready" | "serve"): Promise<void> {
    this.#steps.push(step);
    await this.#peer?.ask(step);
  }

  async #start(): Promise<void> {
    this.#starts++;
    const { place, base } = this.#options;
    const { sandbox, runtime } = this.#needs;
    const opened = await sandbox.open(walledProcess(place, base, runtime, this.#ending.signal));
    this.#process = opened;
    const words = lastWords(opened);
    const peer = new Peer(opened.stdout, opened.stdin, (what, ...args) => this.#told(String(what), args));
    opened.stdin.on("error", () => undefined);
    // Anything but a message ends the stream, and nothing more of its sender is believed.
    opened.stdout.on("error", (error) => {
      peer.end(errors.ISOLATED_ENDED(this.#host.name, error));
      void opened.close();
    });
    const watch = this.#watch(peer, opened);
    const started = performance.now();
    void opened.ended.then(({ exitCode, signal, reason, findings }) => {
      clearInterval(watch);
      const how = reason === "exited" ? (signal ?? `exit code ${exitCode}`) : reason;
      const why = [this.#silent.has(opened) ? "it hung" : how, ...findings, words()].filter(Boolean);
      this.#over(peer, why.join("; "), performance.now() - started);
    });
    try {
      const loaded = (await peer.ask("load", { name: place.entry } satisfies ToLoad)) as LoadedFacts;
      const { config, bounds } = this.#options;
      const timeoutMs = bounds.stepMs;
      await peer.hand("setup", { config, needs: this.#lend(loaded), timeoutMs } satisfies ToSetUp);
      this.#standIns.settle();
      for (const step of this.#steps) await peer.ask(step);
      await this.#standIns.startAgain();
      this.#peer = peer;
    } catch (error) {
      peer.end(asError(error));
      await opened.close();
      throw error;
    }
  }

  /** Returns what fills the slots that the code needs, which are those that its facts state. */
  #lend({ needs }: LoadedFacts): ToSetUp["needs"] {
    const { name } = this.#host;
    const filled = needs.map(({ id, optional }) => {
      if (!this.#options.needs.includes(id))
        throw errors.ISOLATED_FACTS(
          name,
          `its code needs the slot ${id}, which its package.json does not state`,
        );
      const value: unknown = this.#host.needs[id];
      if (value === undefined && !optional) throw errors.ISOLATED_EMPTY(name, id);
      return [id, value === undefined ? undefined : lend(name, id, value as object)] as const;
    });
    return Object.fromEntries(filled);
  }

  /** Ends a process that answers nothing any more. */
  #watch(peer: Peer, opened: OpenProcess): NodeJS.Timeout {
    let [asked, missed] = [performance.now(), 0];
    return setInterval(() => {
      // While it starts it has a time for that alone.
      missed = this.#peer === peer && peer.heard < asked ? missed + 1 : 0;
      if (missed > 1) {
        this.#silent.add(opened);
        void opened.close();
      }
      asked = performance.now();
      peer.ping();
    }, this.#options.bounds.silentMs).unref();
  }

  #over(peer: Peer, why: string, livedMs: number): void {
    const ran = this.#peer === peer;
    this.#ended = why;
    const ended = errors.ISOLATED_ENDED(this.#host.name, why);
    peer.end(ended);
    if (!ran || this.#host.signal.aborted) return;
    this.#peer = undefined;
    this.#standIns.down();
    this.#host.log.warn({ code: ended.code }, ended.message);
    if (livedMs > LIVED_MS) this.#failures = 0;
    this.#later();
  }

  #later(): void {
    if (this.#host.signal.aborted) return;
    const wait = Math.min(this.#options.bounds.backoffMs * 2 ** this.#failures++, MOST_BACKOFF_MS);
    this.#retry = setTimeout(() => {
      const late = (): Error => errors.ISOLATED_ENDED(this.#host.name, "it did not start in time");
      withTimeout(this.#options.bounds.stepMs, this.#start(), late).catch(async (error: unknown) => {
        this.#standIns.down();
        this.#ended = asError(error).message;
        await this.#process?.close();
        this.#later();
      });
    }, wait).unref();
  }

  /** Follows a word of the process, which may have been taken over. */
  #told(what: string, args: readonly unknown[]): unknown {
    const [first, second, third] = args;
    if (what === "provide") return this.#standIns.provide(first, String(second), third);
    if (what === "withdraw") return this.#standIns.withdraw(first);
    if (what === "tap")
      return this.#standIns.tap(first as HookName, second as TapOptions | undefined, third as Work);
    if (what === "log") return logFor(this.#host.log, String(first), second, String(third));
    if (what === "failed")
      return logFor(this.#host.log, "error", {}, errors.ISOLATED_FAILED(asError(first)).message);
    throw new TypeError("nothing that it may say");
  }
}
