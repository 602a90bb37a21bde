import path from "node:path";
import type { Policy, SandboxedFiles, ToolRun } from "@gantry/sdk";
import { type FileOptions, checkedPath, isBinary } from "./files.ts";
import { globTest } from "./glob.ts";
import { type LineTest, lineTest } from "./line-test.ts";
import { shownPath } from "./place.ts";
import { searchText } from "./search-file.ts";
import { Spent } from "./spent.ts";
import { type WalkedFile, walk } from "./walk.ts";

const MAX_FILE_BYTES = 8 * 1024 * 1024;
/** Files that are read ahead. */
const AHEAD = 16;

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
  const { pattern, literal = false, ignore_case: ignoreCase = false } = run.args;
  return new Search(options, run, await lineTest({ pattern, literal, ignoreCase })).result();
}

class Search {
  readonly #options: SearchOptions;
  readonly #run: Run;
  readonly #test: LineTest;
  readonly #files: SandboxedFiles;
  readonly #spent: Spent;
  readonly #blocks: string[] = [];
  readonly #limit: number;
  #left: number;
  #searched = 0;
  #large = 0;
  #closed = 0;

  constructor(options: SearchOptions, run: Run, test: LineTest) {
    this.#options = options;
    this.#run = run;
    this.#test = test;
    this.#files = options.files;
    this.#spent = new Spent(options);
    this.#limit = run.args.limit ?? options.defaultLines;
    this.#left = this.#limit;
  }

  async result(): Promise<string> {
    for await (const { path: file, data } of this.#contents()) {
      if (this.#spent.time || this.#spent.cut) break;
      if (data) await this.#searchIn(file, data);
    }
    const lines = this.#limit - this.#left;
    const notes = [
      ...this.#spent.notes(`the first ${lines} lines`, "the pattern, the path or the glob"),
      ...(this.#large > 0 ? [`${this.#large} files beyond ${MAX_FILE_BYTES} bytes were not searched`] : []),
      ...(this.#closed > 0 ? [`${this.#closed} files with such lines are closed to tools`] : []),
    ];
    if (this.#blocks.length === 0)
      return `[${[`nothing found in ${this.#searched} files`, ...notes].join("; ")}]`;
    return [this.#blocks.join("\n\n"), ...notes.map((note) => `[${note}]`)].join("\n");
  }

  /** The files and what they hold, read ahead of the search. */
  async *#contents(): AsyncGenerator<{ readonly path: string; readonly data: Buffer | undefined }, void> {
    const reading: (() => Promise<{ readonly path: string; readonly data: Buffer | undefined }>)[] = [];
    for await (const file of this.#wanted()) {
      const data = this.#read(file);
      // Whoever waits for it hears of it.
      data.catch(() => undefined);
      reading.push(async () => ({ path: file.path, data: await data }));
      if (reading.length >= AHEAD) yield await reading.shift()!();
    }
    for (const next of reading) yield await next();
  }

  async *#wanted(): AsyncGenerator<WalkedFile, void> {
    const { args, effects, cwd, signal } = this.#run;
    const root = checkedPath(effects);
    const fits = args.glob === undefined ? () => true : await globTest(args.glob);
    try {
      for await (const file of walk({ files: this.#files, root, workspace: cwd, signal }))
        if (fits(path.relative(root, file.path)) || (root !== cwd && fits(path.relative(cwd, file.path))))
          yield file;
    } catch (error) {
      if ((error as { code?: string }).code !== "FILE_FAILED") throw error;
      // It is no folder, so it is the one file.
      const { bytes } = await this.#files.read(root, 0, signal);
      yield { path: root, bytes };
    }
  }

  /** Undefined for what is not searched. */
  async #read({ path: file, bytes }: WalkedFile): Promise<Buffer | undefined> {
    if (bytes > MAX_FILE_BYTES) this.#large++;
    if (bytes === 0 || bytes > MAX_FILE_BYTES) return undefined;
    try {
      const { data } = await this.#files.read(file, MAX_FILE_BYTES, this.#run.signal);
      return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    } catch {
      this.#run.signal.throwIfAborted();
      return undefined;
    }
  }

  async #searchIn(file: string, data: Buffer): Promise<void> {
    if (isBinary(data)) return;
    this.#searched++;
    if (!this.#test.mayHold(data)) return;
    const { context = 0 } = this.#run.args;
    const hits = await searchText(new TextDecoder().decode(data), this.#test, { context, limit: this.#left });
    if (hits.count === 0 && !hits.more) return;
    if (await this.#isClosed(file)) {
      this.#closed++;
      return;
    }
    const block = [shownPath(file, this.#run.cwd), ...hits.lines];
    const taken = block.filter((line) => this.#spent.takes(line));
    this.#spent.cut ||= hits.more || taken.length < block.length;
    this.#left -= hits.count;
    if (taken.length > 1) this.#blocks.push(taken.join("\n"));
  }

  /** What a guard would keep from file_read is not shown here either. */
  async #isClosed(file: string): Promise<boolean> {
    const opinions = await this.#options.policy.explain("file_read", { path: file }, this.#run.user);
    return opinions.some(({ outcome }) => outcome?.verdict === "refuse");
  }
}
