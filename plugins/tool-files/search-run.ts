import type { Policy, SandboxedFiles, ToolRun } from "@gantry/sdk";
import { type FileOptions, checkedPath, isBinary } from "./files.ts";
import { globTest } from "./glob.ts";
import { shownPath } from "./place.ts";
import { searchApart } from "./search-apart.ts";
import type { Hits } from "./search-file.ts";
import { Spent } from "./spent.ts";
import { type WalkedFile, unheededNotes, walk } from "./walk.ts";

const MAX_FILE_BYTES = 8 * 1024 * 1024;
/** Files that are read ahead. */
const AHEAD = 16;
/** So much is searched at a time. */
const MAX_SIGNS = 8 * 1024 * 1024;
const MAX_TEXTS = 2_000;

export interface SearchOptions extends FileOptions {
  readonly files: SandboxedFiles;
  readonly policy: Policy;
  /** The `import.meta.url` of the index. */
  readonly base: string;
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

interface Text {
  readonly path: string;
  readonly text: string;
}

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
    for await (const texts of this.#batches()) {
      const hits = await this.#hitsIn(texts);
      for (const [i, one] of hits.entries()) {
        if (this.#spent.cut) break;
        await this.#take(texts[i]!.path, one);
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
    const walked = { files: this.#files, root, workspace: cwd, signal, unheeded: this.#unheeded };
    try {
      yield* walk(args.glob === undefined ? walked : { ...walked, glob: await globTest(args.glob) });
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

  /** What is searched at a time; at least once, so that a wrong pattern is told where there are no files too. */
  async *#batches(): AsyncGenerator<readonly Text[], void> {
    let texts: Text[] = [];
    let signs = 0;
    for await (const { path: file, data } of this.#contents()) {
      if (this.#spent.time) break;
      if (!data || isBinary(data)) continue;
      const text = new TextDecoder().decode(data);
      if (texts.length > 0 && (signs + text.length > MAX_SIGNS || texts.length === MAX_TEXTS)) {
        yield texts;
        [texts, signs] = [[], 0];
      }
      texts.push({ path: file, text });
      signs += text.length;
    }
    if (texts.length > 0 || this.#searched === 0) yield texts;
  }

  /** None where the time is up before. */
  async #hitsIn(texts: readonly Text[]): Promise<readonly Hits[]> {
    const { args, signal } = this.#run;
    const { pattern, literal = false, ignore_case: ignoreCase = false, context = 0 } = args;
    const asked = { pattern, literal, ignoreCase, context, limit: this.#left };
    const { leftMs } = this.#spent;
    const late = AbortSignal.timeout(leftMs);
    try {
      const found = await searchApart(
        this.#options.base,
        { ...asked, texts: texts.map(({ text }) => text) },
        { signal: AbortSignal.any([signal, late]), cpuSeconds: Math.ceil(leftMs / 1_000) + 1 },
      );
      this.#searched += found?.length ?? 0;
      if (found === undefined) this.#spent.end();
      return found ?? [];
    } catch (error) {
      if (!late.aborted || signal.aborted) throw error;
      return [];
    }
  }

  async #take(file: string, { blocks, more }: Hits): Promise<void> {
    if (blocks.length === 0 && !more) return;
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

  /** What a guard would keep from file_read is not shown here either. */
  async #isClosed(file: string): Promise<boolean> {
    const opinions = await this.#options.policy.explain("file_read", { path: file }, this.#run.user);
    return opinions.some(({ outcome }) => outcome?.verdict === "refuse");
  }
}
