import path from "node:path";
import {
  GantryError,
  type AuditEvent,
  type ConfigFile as ConfigFileSlot,
  type OnboardingStep,
} from "@gantry/sdk";
import { maskedKeys, pathOf, type ConfigChange, type Reloaded, type Trial } from "@gantry/sdk/fill";
import { nearest, ProcessLock, userAround } from "@gantry/sdk/node";
import { findNode, readText, type TableNode } from "@gantry/host";
import { errors } from "../errors.ts";
import { jsonSchema } from "./json-schema.ts";
import { leaves } from "./leaves.ts";
import { reloadService } from "./reload.ts";
import { writeWhole } from "./write-whole.ts";

/** The time for which a change waits for those before it. */
const patienceMs = 15_000;

/** `stop` ends it. */
export interface RunningTrial extends Trial {
  stop(): Promise<void>;
}

export interface ConfigFileDeps {
  readonly file: string;
  /**
   * The schema of everything that may stand in the file, the bundled plugins that are not loaded
   * included.
   */
  readonly schema: () => Promise<TableNode>;
  /** The effective value at a dotted key. */
  readonly effective: (key: string) => unknown;
  /** The onboarding steps of every bundled plugin. */
  readonly onboarding: () => Promise<readonly OnboardingStep[]>;
  /**
   * Starts a host of its own by this text, or throws why it would not serve; what a channel lacks
   * before the change is not held against it.
   */
  readonly start: (text: string) => Promise<RunningTrial>;
  /** Returns the text with these keys changed. */
  readonly edit: (text: string, changes: readonly ConfigChange[]) => Promise<string>;
  /** Told before the new text is written; a throw keeps the file as it was. */
  readonly record: (event: Omit<AuditEvent, "timestamp">, text: string) => Promise<void>;
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

  onboarding(): Promise<readonly OnboardingStep[]> {
    return this.#deps.onboarding();
  }

  async schema(): Promise<Readonly<Record<string, unknown>>> {
    return jsonSchema(await this.#deps.schema());
  }

  reload(signal?: AbortSignal): Promise<Reloaded> {
    return reloadService(path.dirname(this.#deps.file), signal);
  }

  /**
   * Validates the whole new text, then writes it in one step, one process after the other; throws
   * CONFIG_*.
   */
  async set(changes: Readonly<Record<string, unknown>>): Promise<void> {
    const lock = await takeTurn(this.#deps.file);
    try {
      await this.#set(changes);
    } finally {
      await lock.release();
    }
  }

  async #set(changes: Readonly<Record<string, unknown>>): Promise<void> {
    const { file, record, start } = this.#deps;
    const before = (await readText(file)) ?? "";
    const text = await this.#changed(before, changes);
    await (await start(text)).stop();
    if (((await readText(file)) ?? "") !== before) throw errors.CONFIG_LOCKED(file);
    const args = { keys: Object.keys(changes), values: maskedKeys(changes) };
    const event = { event_type: "config_change", tool: "", args, result: "written" } as const;
    await record({ ...event, user: userAround(), session_id: "" }, text);
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
    const edits: ConfigChange[] = [];
    for (const [key, value] of Object.entries(changes)) {
      // A key that nobody reads can be taken out too.
      edits.push([value === undefined ? (pathOf(key) ?? []) : await this.#path(key), value]);
    }
    return this.#deps.edit(before, edits);
  }

  /** The key's path; throws CONFIG_NO_KEY with the nearest known one. */
  async #path(key: string): Promise<readonly string[]> {
    const schema = await this.#deps.schema();
    const parts = pathOf(key);
    if (parts && findNode(schema, parts)?.kind === "leaf") return parts;
    throw noKey(schema, key);
  }
}

/** CONFIG_NO_KEY with the nearest key there is. */
export function noKey(schema: TableNode, key: string): GantryError {
  const known = [...leaves(schema)].map((leaf) => leaf.key);
  const meant = nearest(key, known);
  return errors.CONFIG_NO_KEY(key, meant ? ` (did you mean \`${meant}\`?)` : "");
}

async function takeTurn(file: string): Promise<ProcessLock> {
  const until = Date.now() + patienceMs;
  for (;;) {
    try {
      return await ProcessLock.take(`${file}.lock`, (pid) => errors.CONFIG_BUSY(file, pid));
    } catch (error) {
      if (!(error instanceof GantryError))
        throw errors.CONFIG_UNWRITABLE(file, (error as NodeJS.ErrnoException).code);
      if (Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
