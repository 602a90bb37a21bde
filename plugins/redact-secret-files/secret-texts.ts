import { realpath } from "node:fs/promises";
import path from "node:path";
import type { FilteredResult } from "@gantry/sdk";
import { findFiles } from "./find-files.ts";
import { readInside } from "./read-inside.ts";
import { secretsIn } from "./secrets-in.ts";

/** A larger file is no file of settings or keys. */
const MAX_BYTES = 256 * 1024;
const MAX_FILES = 200;
/** Files are looked for again after this time. */
const FRESH_MS = 3_000;

interface Known {
  readonly stamp: string;
  readonly secrets: readonly string[];
}

/** The texts of a workspace's secret files, as they were when a call began; of a file that has gone they stay known. */
export class SecretTexts {
  readonly #workspace: string;
  readonly #isSecret: (relative: string) => boolean;
  readonly #known = new Map<string, Known>();
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

  /** The text without them, plain or as they stand in JSON and in addresses. */
  takeOut(text: string): FilteredResult {
    let left = text;
    const from = new Set<string>();
    for (const [file, { secrets }] of this.#known) {
      for (const form of secrets.flatMap(formsOf)) {
        if (!left.includes(form)) continue;
        left = left.replaceAll(form, `[text of the secret file ${file}]`);
        from.add(file);
      }
    }
    return from.size === 0 ? { text } : { text: left, found: `text of ${[...from].join(", ")}` };
  }

  async #readAll(): Promise<void> {
    const files = await findFiles(this.#workspace, this.#isSecret);
    const root = await realpath(this.#workspace).catch(() => this.#workspace);
    for (const file of files.slice(0, MAX_FILES)) await this.#read(root, file);
    this.#refreshed = performance.now();
  }

  async #read(root: string, file: string): Promise<void> {
    await readInside(root, path.join(root, file), async ({ stamp, text }) => {
      if (this.#known.get(file)?.stamp === stamp) return;
      const written = await text(MAX_BYTES);
      if (written) this.#known.set(file, { stamp, secrets: secretsIn(written) });
    });
  }
}

function formsOf(secret: string): readonly string[] {
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])];
}
