import { realpath } from "node:fs/promises";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import type { FilteredResult } from "@gantry/sdk";
import { HiddenTexts } from "../shared/hidden-texts.ts";
import { withPlainFile } from "../shared/plain-file.ts";
import { findFiles } from "./find-files.ts";
import { secretsIn } from "./secrets-in.ts";

/** A larger file does not hold settings or keys. */
const MAX_BYTES = 256 * 1024;
const MAX_FILES = 200;
/** Files are looked for again after this time. */
const FRESH_MS = 3_000;

interface Known {
  readonly stamp: string;
  readonly secrets: readonly string[];
}

/**
 * The texts of a workspace's secret files, as they were when a call began; of a file that has gone
 * they stay known.
 */
export class SecretTexts {
  readonly #workspace: string;
  readonly #isSecret: (relative: string) => boolean;
  readonly #known = new Map<string, Known>();
  #hidden = new HiddenTexts();
  #refreshed = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<void> | undefined;

  constructor(workspace: string, isSecret: (relative: string) => boolean) {
    this.#workspace = workspace;
    this.#isSecret = isSecret;
  }

  /** Reads what is new or changed; calls at the same time share one look. */
  async refresh(): Promise<void> {
    if (performance.now() - this.#refreshed < FRESH_MS) return;
    this.#refreshing ??= this.#readAll().finally(() => (this.#refreshing = undefined));
    await this.#refreshing;
  }

  /**
   * Returns the text without them, plain or as they stand in JSON and in addresses. Throws if there
   * are too many to search for.
   */
  takeOut(text: string): FilteredResult {
    const left = this.#hidden.takeOut(text, (file) => `[text of the secret file ${file}]`);
    if (!left) throw new Error("more stands in secret files than can be looked for");
    return left.names.length === 0
      ? { text }
      : { text: left.text, found: `text of ${left.names.join(", ")}` };
  }

  async #readAll(): Promise<void> {
    const files = await findFiles(this.#workspace, this.#isSecret);
    const root = await realpath(this.#workspace).catch(() => this.#workspace);
    let isChanged = false;
    for (const file of files.slice(0, MAX_FILES)) isChanged = (await this.#read(root, file)) || isChanged;
    if (isChanged) await this.#hide();
    this.#refreshed = performance.now();
  }

  /** One file after the other, so that nobody waits for all of them. */
  async #hide(): Promise<void> {
    const hidden = new HiddenTexts();
    for (const [file, { secrets }] of this.#known) {
      for (const secret of secrets) for (const form of formsOf(secret)) hidden.add(file, form);
      await setImmediate();
    }
    this.#hidden = hidden;
  }

  /** Returns true if the file is new or changed. */
  async #read(root: string, file: string): Promise<boolean> {
    let isChanged = false;
    await withPlainFile(root, path.join(root, file), async ({ stamp, text }) => {
      if (this.#known.get(file)?.stamp === stamp) return;
      const written = await text(MAX_BYTES);
      if (!written) return;
      this.#known.set(file, { stamp, secrets: secretsIn(written) });
      isChanged = true;
    });
    return isChanged;
  }
}

function formsOf(secret: string): readonly string[] {
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
}
