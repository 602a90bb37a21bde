import { readFile } from "node:fs/promises";
import path from "node:path";
import { parseEnv } from "node:util";
import { hostErrors } from "@gantry/host";
import { refuseUnsafe } from "./refuse-unsafe.ts";

/**
 * Variables for whatever runs by this configuration: what `service.env` adds to an environment,
 * which wins.
 */
export class ServiceEnv {
  readonly #file: string;
  readonly #configDir: string;
  /** Names that the file has set, so that reading it again takes up what changed. */
  readonly #added = new Set<string>();

  constructor(configDir: string) {
    this.#configDir = configDir;
    this.#file = path.join(configDir, "service.env");
  }

  /** Throws if the file cannot be read or others may write it. */
  async addTo(env: NodeJS.ProcessEnv): Promise<void> {
    await refuseUnsafe(this.#configDir, this.#file);
    const found = parseEnv(await this.#text());
    for (const name of this.#added) delete env[name];
    this.#added.clear();
    for (const [name, value] of Object.entries(found)) {
      if (env[name] !== undefined) continue;
      env[name] = value;
      this.#added.add(name);
    }
  }

  async #text(): Promise<string> {
    try {
      return await readFile(this.#file, "utf8");
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") return "";
      throw hostErrors.CONFIG_UNREADABLE(this.#file, code);
    }
  }
}
