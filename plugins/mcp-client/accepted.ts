import { mkdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { replaceFile } from "@gantry/sdk/node";
import { digestOf } from "./digest.ts";
import { errors } from "./errors.ts";
import type { Listed, ListedPrompt, ListedTool } from "./listed.ts";
import type { ServerFacts } from "./server-digest.ts";

/** Which of the protocol's two ways a server speaks. */
export type Era = "legacy" | "modern";

/** The parts of a server that the owner has accepted; written as they were listed. */
export interface Accepted extends Listed, Pick<ServerFacts, "server"> {
  readonly era: Era;
  /** Both are missing in files of earlier versions. */
  readonly start?: ServerFacts["start"];
  readonly reach?: ServerFacts["reach"];
}

/** The differences that were found from what was accepted. */
export interface Changed {
  /** {@link digestOf} what was accepted: once that is another, this is past. */
  readonly of: string;
  /** True if it is started in another way. */
  readonly server: boolean;
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
}

/**
 * The folder in the configuration directory: a file for each server, and one for what has changed.
 */
export function acceptedFolder(configDir: string): string {
  return path.join(configDir, "mcp");
}

/** The file that is kept of one server. */
export class AcceptedFile {
  readonly #name: string;
  readonly #file: string;
  readonly #changes: string;

  constructor(configDir: string, name: string) {
    this.#name = name;
    this.#file = path.join(acceptedFolder(configDir), `${name}.json`);
    this.#changes = path.join(acceptedFolder(configDir), `${name}.changed.json`);
  }

  /** Undefined if nothing was accepted. Throws MCP_UNREADABLE. */
  read(): Promise<Accepted | undefined> {
    return this.#read<Accepted>(this.#file);
  }

  /** Returns what has changed since it was accepted, if it is known to. */
  async changed(accepted: Accepted): Promise<Changed | undefined> {
    const changed = await this.#read<Changed>(this.#changes);
    return changed?.of === digestOf(accepted) ? changed : undefined;
  }

  async accept(accepted: Accepted): Promise<void> {
    await this.#write(this.#file, accepted);
    await rm(this.#changes, { force: true });
  }

  async noteChanged(changed: Changed): Promise<void> {
    await this.#write(this.#changes, changed);
  }

  /** Returns false if there was nothing. */
  async remove(): Promise<boolean> {
    const was = (await this.read().catch(() => true)) !== undefined;
    await rm(this.#file, { force: true });
    await rm(this.#changes, { force: true });
    return was;
  }

  async #read<T>(file: string): Promise<T | undefined> {
    try {
      return JSON.parse(await readFile(file, "utf8")) as T;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") return undefined;
      throw errors.MCP_UNREADABLE(file, code ?? "it is not JSON", this.#name);
    }
  }

  async #write(file: string, value: object): Promise<void> {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await replaceFile(file, `${JSON.stringify(value, undefined, 2)}\n`);
  }
}

/** True if all of a server beside its tools and prompts is what was accepted. */
export function isSameServer(accepted: Accepted, found: Accepted): boolean {
  const of = ({ server, era, resources, reach }: Accepted): string =>
    digestOf({ server, era, resources, reach: accepted.reach && reach });
  return of(accepted) === of(found);
}

/** The differences of what a server lists now from what was accepted; of each kind the names. */
export interface Differences {
  readonly changed: readonly string[];
  readonly missing: readonly string[];
  readonly added: readonly string[];
}

export function differencesOf(
  accepted: readonly (ListedTool | ListedPrompt)[],
  listed: readonly (ListedTool | ListedPrompt)[],
): Differences {
  const [before, now] = [digestsOf(accepted), digestsOf(listed)];
  const names = [...before.keys()];
  return {
    changed: names.filter((name) => now.has(name) && now.get(name) !== before.get(name)),
    missing: names.filter((name) => !now.has(name)),
    added: [...now.keys()].filter((name) => !before.has(name)),
  };
}

/** By name; of a name that is listed twice all counts. */
function digestsOf(items: readonly (ListedTool | ListedPrompt)[]): ReadonlyMap<string, string> {
  const byName = Map.groupBy(items, ({ name }) => name);
  return new Map([...byName].map(([name, all]) => [name, digestOf(all)]));
}
