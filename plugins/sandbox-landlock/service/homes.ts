import type { Runtime } from "@gantry/sdk";
import type { Walled } from "./walled.ts";

/** Milliseconds that the walls of a folder stand after the last turn in it. */
const IDLE_MS = 60_000;

interface Home {
  readonly walled: Walled;
  /** The number of turns that work behind these walls now. */
  users: number;
  timer?: NodeJS.Timeout;
}

/**
 * Walls for each folder that turns work in: those of the workspace, and others around each folder
 * in it.
 */
export class Homes {
  readonly #runtime: Runtime;
  readonly #main: Walled;
  readonly #open: (home: string) => Walled;
  readonly #homes = new Map<string, Home>();
  readonly #closing = new Set<Promise<void>>();

  constructor(runtime: Runtime, main: Walled, open: (home: string) => Walled) {
    this.#runtime = runtime;
    this.#main = main;
    this.#open = open;
  }

  /** Works behind the walls of whatever turn this is called in. */
  async use<T>(work: (walled: Walled) => Promise<T>): Promise<T> {
    const folder = this.#runtime.workspaceNow?.() ?? this.#runtime.workspace;
    if (folder === this.#main.home) return work(this.#main);
    const home = this.#homes.get(folder) ?? { walled: this.#open(folder), users: 0 };
    this.#homes.set(folder, home);
    clearTimeout(home.timer);
    home.users += 1;
    try {
      return await work(home.walled);
    } finally {
      home.users -= 1;
      if (home.users === 0) this.#rest(folder, home);
    }
  }

  async close(): Promise<void> {
    for (const [folder, home] of this.#homes) this.#end(folder, home);
    await Promise.all([this.#main.close(), ...this.#closing]);
  }

  #rest(folder: string, home: Home): void {
    home.timer = setTimeout(() => this.#end(folder, home), IDLE_MS);
    home.timer.unref();
  }

  #end(folder: string, home: Home): void {
    clearTimeout(home.timer);
    this.#homes.delete(folder);
    const closing = home.walled.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
