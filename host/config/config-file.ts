import {
  GantryError,
  type AuditEvent,
  type ConfigFile as ConfigFileSlot,
  type OnboardingStep,
  type Trial,
} from "@gantry/sdk";
import { errors } from "../errors.ts";
import { ProcessLock } from "@gantry/sdk/node";
import { isTree } from "./check.ts";
import { setKey, unsetKey, writeWhole } from "../../plugins/config-edit/edit.ts";
import { nearest } from "./nearest.ts";
import { readText } from "./read.ts";
import { findNode, leaves, type TableNode } from "./schema.ts";

/** How long a change waits for those before it. */
const patienceMs = 15_000;

/** `stop` ends it. */
export interface RunningTrial extends Trial {
  stop(): Promise<void>;
}

export interface ConfigFileDeps {
  readonly file: string;
  /** Of everything that may stand in the file, the bundled plugins that are not loaded included. */
  readonly schema: () => Promise<TableNode>;
  /** The effective value at a dotted key. */
  readonly effective: (key: string) => unknown;
  /** Of every bundled plugin. */
  readonly onboarding: () => Promise<readonly OnboardingStep[]>;
  /** Starts a host of its own by this text, or throws why it would not start. */
  readonly start: (text: string) => Promise<RunningTrial>;
  /** The same without what was wrong before any change and is so still. */
  readonly trial: (text: string) => Promise<RunningTrial>;
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

  onboarding(): Promise<readonly OnboardingStep[]> {
    return this.#deps.onboarding();
  }

  /** Validates the whole new text, then writes it in one step, one process after the other; throws CONFIG_*. */
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
    const keys = Object.keys(changes);
    await record({
      event_type: "config_change",
      tool: "",
      args: { keys },
      result: "written",
      user: "owner",
      session_id: "",
    });
    await writeWhole(file, text);
  }

  async trial<T>(changes: Readonly<Record<string, unknown>>, work: (trial: Trial) => Promise<T>): Promise<T> {
    const { file } = this.#deps;
    const trial = await this.#deps.trial(await this.#changed((await readText(file)) ?? "", changes));
    try {
      return await work(trial);
    } finally {
      await trial.stop();
    }
  }

  async #changed(before: string, changes: Readonly<Record<string, unknown>>): Promise<string> {
    let text = before;
    for (const [key, value] of Object.entries(changes)) {
      // What nobody reads can be taken out too.
      text =
        value === undefined ? unsetKey(text, pathOf(key) ?? []) : setKey(text, await this.#path(key), value);
    }
    return text;
  }

  /** The key's path; throws CONFIG_NO_KEY with the nearest known one. */
  async #path(key: string): Promise<readonly string[]> {
    const schema = await this.#deps.schema();
    const path = pathOf(key);
    if (path && findNode(schema, path)?.kind === "leaf") return path;
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

/** The parts of a dotted key, as TOML writes it: a part with dots in it stands in quotes. Undefined where it is none. */
export function pathOf(key: string): readonly string[] | undefined {
  const part = /(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^."']+))(?:\.(?=.)|$)/y;
  const parts: string[] = [];
  while (part.lastIndex < key.length) {
    const found = part.exec(key);
    if (!found) return undefined;
    const [, quoted, literal, bare] = found;
    parts.push(quoted?.replace(/\\(.)/g, "$1") ?? literal ?? bare ?? "");
  }
  return parts.length > 0 && parts.every((name) => name !== "") ? parts : undefined;
}

/** The value at a dotted key of a tree. */
export function valueAt(tree: unknown, key: string): unknown {
  return pathOf(key)?.reduce<unknown>((at, part) => (isTree(at) ? at[part] : undefined), tree);
}
