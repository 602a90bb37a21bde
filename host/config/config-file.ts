import { errors, type AuditEvent, type ConfigFile as ConfigFileSlot, type Trial } from "@gantry/sdk";
import { isTree } from "./check.ts";
import { setKey, writeWhole } from "./edit.ts";
import { nearest } from "./nearest.ts";
import { readText } from "./read.ts";
import { findNode, leaves, type TableNode } from "./schema.ts";

export interface ConfigFileDeps {
  readonly file: string;
  /** Of everything that may stand in the file, the bundled plugins that are not loaded included. */
  readonly schema: () => Promise<TableNode>;
  /** The effective value at a dotted key. */
  readonly effective: (key: string) => unknown;
  /** Throws where the text would not start. */
  readonly validate: (text: string) => Promise<void>;
  /** Starts a host of its own by this text; `stop` ends it. */
  readonly start: (text: string) => Promise<Trial & { stop(): Promise<void> }>;
  /** Told before the file is written; a throw keeps it as it was. */
  readonly record: (event: Omit<AuditEvent, "timestamp">) => Promise<void>;
}

/** The configuration file, changed in place. */
export class ConfigFile implements ConfigFileSlot {
  readonly #deps: ConfigFileDeps;

  constructor(deps: ConfigFileDeps) {
    this.#deps = deps;
  }

  get(key: string): unknown {
    return this.#deps.effective(key);
  }

  /** Validates the whole new text, then writes it in one step; throws CONFIG_*. */
  async set(changes: Readonly<Record<string, unknown>>): Promise<void> {
    const { file, validate, record } = this.#deps;
    const before = (await readText(file)) ?? "";
    const text = await this.#changed(before, changes);
    await validate(text);
    if (((await readText(file)) ?? "") !== before) throw errors.CONFIG_LOCKED(file);
    const keys = Object.keys(changes);
    await record({ event_type: "config_change", tool: "", args: { keys }, result: "written", user: "owner", session_id: "" });
    await writeWhole(file, text);
  }

  async trial<T>(changes: Readonly<Record<string, unknown>>, work: (trial: Trial) => Promise<T>): Promise<T> {
    const { file, start } = this.#deps;
    const trial = await start(await this.#changed((await readText(file)) ?? "", changes));
    try {
      return await work(trial);
    } finally {
      await trial.stop();
    }
  }

  async #changed(before: string, changes: Readonly<Record<string, unknown>>): Promise<string> {
    let text = before;
    for (const [key, value] of Object.entries(changes)) text = setKey(text, await this.#path(key), value);
    return text;
  }

  /** The key's path; throws CONFIG_NO_KEY with the nearest known one. */
  async #path(key: string): Promise<readonly string[]> {
    const schema = await this.#deps.schema();
    const path = key.split(".");
    if (path.every((part) => part !== "") && findNode(schema, path)?.kind === "leaf") return path;
    const meant = nearest(
      key,
      [...leaves(schema)].map((leaf) => leaf.key),
    );
    throw errors.CONFIG_NO_KEY(key, meant ? ` (did you mean \`${meant}\`?)` : "");
  }
}

/** The value at a dotted key of a tree. */
export function valueAt(tree: unknown, key: string): unknown {
  return key.split(".").reduce((at, part) => (isTree(at) ? at[part] : undefined), tree);
}
