import type { FileFound, SandboxedFiles, SearchResult } from "@gantry/sdk/fill";
import type { Policy, ToolRun } from "@gantry/sdk";
import { blocksOf } from "./blocks.ts";
import { errors } from "./errors.ts";
import { type FileOptions, checkedPath } from "./files.ts";
import { globTest } from "./glob.ts";
import { shownPath } from "./place.ts";
import { Spent } from "./spent.ts";
import { type WalkedFile, unheededNotes, walk } from "./walk.ts";

const MAX_FILE_BYTES = 8 * 1024 * 1024;
/** So much is searched at a time. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_FILES = 2_000;

export interface SearchOptions extends FileOptions {
  readonly files: SandboxedFiles;
  readonly policy: Policy;
  readonly defaultLines: number;
}

/** The arguments of file_search. */
interface SearchArguments {
  readonly pattern: string;
  readonly literal?: boolean;
  readonly ignore_case?: boolean;
  readonly path?: string;
  readonly glob?: string;
  readonly context?: number;
  readonly limit?: number;
}

type Run = ToolRun<SearchArguments>;

export async function search(options: SearchOptions, run: Run): Promise<string> {
  return new Search(options, run).result();
}

class Search {
  readonly #options: SearchOptions;
  readonly #run: Run;
  readonly #files: SandboxedFiles;
  readonly #spent: Spent;
  readonly #blocks: string[] = [];
  readonly #unheeded = new Set<string>();
  readonly #limit: number;
  #left: number;
  #searched = 0;
  #large = 0;
  #closed = 0;

  constructor(options: SearchOptions, run: Run) {
    this.#options = options;
    this.#run = run;
    this.#files = options.files;
    this.#spent = new Spent(options);
    this.#limit = run.args.limit ?? options.defaultLines;
    this.#left = this.#limit;
  }

  async result(): Promise<string> {
    for await (const files of this.#batches()) {
      for (const found of await this.#foundIn(files)) {
        if (this.#spent.cut) break;
        await this.#take(found);
      }
      if (this.#spent.time || this.#spent.cut) break;
    }
    const lines = this.#limit - this.#left;
    const notes = [
      ...this.#spent.notes(`the first ${lines} lines`, "the pattern, the path or the glob"),
      ...(this.#large > 0 ? [`${this.#large} files beyond ${MAX_FILE_BYTES} bytes were not searched`] : []),
      ...unheededNotes({ unheeded: this.#unheeded, workspace: this.#run.cwd }),
      ...(this.#closed > 0 ? [`${this.#closed} files with such lines are closed to tools`] : []),
    ];
    if (this.#blocks.length === 0)
      return `[${[`nothing found in ${this.#searched} files`, ...notes].join("; ")}]`;
    return [this.#blocks.join("\n\n"), ...notes.map((note) => `[${note}]`)].join("\n");
  }

  async *#wanted(): AsyncGenerator<WalkedFile, void> {
    const { args, effects, cwd, signal } = this.#run;
    const root = checkedPath(effects);
    const walked = { files: this.#files, root, workspace: cwd, signal, unheeded: this.#unheeded };
    try {
      yield* walk(args.glob === undefined ? walked : { ...walked, glob: await globTest(args.glob) });
    } catch (error) {
      if ((error as { code?: string }).code !== "FILE_FAILED") throw error;
      // The root is not a folder, so it is the one file.
      const { bytes } = await this.#files.read(root, 0, signal);
      yield { path: root, bytes };
    }
  }

  /**
   * Yields the files that are searched at a time; at least once, so that a wrong pattern is told
   * though there are no files.
   */
  async *#batches(): AsyncGenerator<readonly string[], void> {
    let batch: string[] = [];
    let sum = 0;
    let isFirst = true;
    for await (const { path: file, bytes } of this.#wanted()) {
      if (this.#spent.time) break;
      if (bytes > MAX_FILE_BYTES) this.#large++;
      if (bytes === 0 || bytes > MAX_FILE_BYTES) continue;
      if (batch.length > 0 && (sum + bytes > MAX_BYTES || batch.length === MAX_FILES)) {
        yield batch;
        [batch, sum, isFirst] = [[], 0, false];
      }
      batch.push(file);
      sum += bytes;
    }
    if (batch.length > 0 || isFirst) yield batch;
  }

  /** Returns nothing if the time is up before. */
  async #foundIn(files: readonly string[]): Promise<SearchResult["found"]> {
    const { args, signal } = this.#run;
    const { pattern, literal = false, ignore_case: ignoreCase = false, context = 0 } = args;
    if (literal ? pattern.includes("\n") : /\n|(?<!\\)(?:\\\\)*\\n/.test(pattern))
      throw errors.SEARCH_LINES(pattern);
    const asked = { pattern, literal, ignoreCase, context, limit: this.#left };
    const late = AbortSignal.timeout(this.#spent.leftMs);
    try {
      const result = await this.#files.search(
        { ...asked, files, maxFileBytes: MAX_FILE_BYTES },
        AbortSignal.any([signal, late]),
      );
      if (!result) this.#spent.end();
      this.#searched += result?.searched ?? 0;
      return result?.found ?? [];
    } catch (error) {
      if (!late.aborted || signal.aborted) throw error;
      return [];
    }
  }

  async #take({ path: file, lines, more }: FileFound): Promise<void> {
    const blocks = blocksOf(lines, this.#run.args.context ?? 0);
    if (await this.#isClosed(file)) {
      this.#closed++;
      return;
    }
    const wanted = blocks.slice(0, this.#left);
    const block = [shownPath(file, this.#run.cwd), ...wanted.flat()];
    const taken = block.filter((line) => this.#spent.takes(line));
    this.#spent.cut ||= more || wanted.length < blocks.length || taken.length < block.length;
    this.#left -= wanted.length;
    if (taken.length > 1) this.#blocks.push(taken.join("\n"));
  }

  /** A file that a guard would keep from file_read is not shown here either. */
  async #isClosed(file: string): Promise<boolean> {
    const opinions = await this.#options.policy.explain("file_read", { path: file }, this.#run.user);
    return opinions.some(({ outcome }) => outcome?.verdict === "refuse");
  }
}
