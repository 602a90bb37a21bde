import path from "node:path";
import type { SandboxedFiles } from "@gantry/sdk/fill";
import { inSlices } from "@gantry/sdk/node";
import type { Ignore } from "ignore";

/** In the order in which they count: what a later one says of a path wins. */
const RULE_FILES = [".git/info/exclude", ".gitignore", ".ignore"];
const MAX_BYTES = 256 * 1024;
const MAX_SIGNS = 1_000;
/** Further ones would take too long on deep paths. */
const MAX_DOUBLE_STARS = 3;
/** The bound for a folder and those above it together. */
export const MAX_RULES = 2_000;

/** Patterns as ignore files have them, by the library that others use for them too. */
export async function patterns(lines: readonly string[]): Promise<Ignore> {
  const { default: ignore } = await import("ignore");
  return ignore({ ignorecase: false }).add(lines.map((pattern) => ({ pattern })));
}

/** True for a pattern that is matched in little time against most paths. */
export function isCheap(pattern: string): boolean {
  return pattern.length <= MAX_SIGNS && pattern.split("**").length <= MAX_DOUBLE_STARS + 1;
}

/** The source of rules, their reader, and the files that were left unheeded. */
export interface Reading {
  readonly files: SandboxedFiles;
  readonly signal: AbortSignal;
  readonly unheeded: Set<string>;
}

/**
 * The rules in the ignore files of a folder and of those above it; a chain, the nearest folder
 * first.
 */
export class IgnoreRules {
  readonly #folder: string;
  readonly #rules: readonly Ignore[];
  readonly #above: IgnoreRules | undefined;
  /** With those above. */
  readonly #count: number;

  private constructor(
    folder: string,
    rules: readonly Ignore[],
    count: number,
    above: IgnoreRules | undefined,
  ) {
    this.#folder = folder;
    this.#rules = rules;
    this.#count = count;
    this.#above = above;
  }

  /** `names`: what stands in the folder, where that is known. */
  static async read(
    { files, signal, unheeded }: Reading,
    folder: string,
    above?: IgnoreRules,
    names?: ReadonlySet<string>,
  ): Promise<IgnoreRules | undefined> {
    const found = RULE_FILES.filter((file) => !names || names.has(file.split("/")[0]!));
    const rules: Ignore[] = [];
    let count = above === undefined ? 0 : above.#count;
    for (const name of found) {
      const file = path.join(folder, name);
      const lines = await linesOf(files, file, signal);
      if (lines.length === 0) continue;
      if (count + lines.length > MAX_RULES) {
        unheeded.add(file);
        continue;
      }
      const read = await patterns([]);
      if (await inSlices(lines, (pattern) => void read.add({ pattern }), signal)) rules.push(read);
      else unheeded.add(file);
      count += lines.length;
    }
    return rules.length === 0 ? above : new IgnoreRules(folder, rules, count, above);
  }

  /** The nearest folder with such files, and those above it. */
  get folders(): readonly string[] {
    return [this.#folder, ...(this.#above?.folders ?? [])];
  }

  ignores(file: string, isFolder: boolean): boolean {
    const relative = path.relative(this.#folder, file) + (isFolder ? "/" : "");
    for (const rules of this.#rules.toReversed()) {
      const { ignored, unignored } = rules.test(relative);
      if (ignored || unignored) return ignored;
    }
    return this.#above?.ignores(file, isFolder) ?? false;
  }

  /**
   * The rules for what lies in a folder that is visited. Files whose rules leave out the folder
   * itself, which a nearer file or whoever asks has overruled, would leave out everything in it.
   */
  within(folder: string): IgnoreRules | undefined {
    const relative = `${path.relative(this.#folder, folder)}/`;
    const rules = this.#rules.filter((rule) => !rule.test(relative).ignored);
    const above = this.#above?.within(folder);
    return rules.length === 0 ? above : new IgnoreRules(this.#folder, rules, this.#count, above);
  }
}

/** A file that cannot be read holds no rules. */
async function linesOf(files: SandboxedFiles, file: string, signal: AbortSignal): Promise<readonly string[]> {
  try {
    const { data } = await files.read(file, MAX_BYTES, signal);
    return new TextDecoder()
      .decode(data)
      .split(/\r?\n/)
      .filter((line) => line.trim() !== "" && !line.startsWith("#") && isCheap(line));
  } catch {
    signal.throwIfAborted();
    return [];
  }
}
