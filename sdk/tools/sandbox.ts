import type { Readable, Writable } from "node:stream";
import type { Static } from "typebox";
import type { RuntimeLimits } from "../contract/runtime.ts";
import { one } from "../contract/slot.ts";
import { having } from "../contract/shape.ts";
import type { TryContext, Untried } from "./tool-run.ts";

export interface RunSpec {
  /** Program and arguments; no shell in between. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Added to the short environment that every child gets. */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Bytes kept of stdout and of stderr together; the rest is counted and dropped. */
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal;
  /** Its conversation, whose material is noted of what it writes. */ readonly session?: string;
}

export interface RunResult {
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly droppedBytes: number;
  readonly timedOut: boolean;
  /** Things stopped, or undone after the run, that the walls could not hold; a phrase each. */
  readonly findings?: readonly string[];
  /** Absolute paths of what it left in the workspace, a folder for all in it. */
  readonly wrote?: readonly string[];
}

/** Something that a run did in the workspace. */
export interface RunChange {
  /** Relative to the workspace. */
  readonly path: string;
  /** `left out`: it stays out of the workspace. */
  readonly change: "added" | "changed" | "removed" | "left out";
  /** The size of a file. */
  readonly bytes?: number;
  /** Why it is left out; else a link's target, both modes, or why texts are not compared. */
  readonly why?: string;
}

/** A run that has ended, and of which nothing is real yet. */
export interface TriedRun {
  /** It has `wrote` once the run was taken over. */
  readonly result: RunResult;
  /** The first of what a taking over would do, and how many more there are of each kind. */
  readonly changes: readonly RunChange[];
  readonly more: Readonly<Partial<Record<RunChange["change"], number>>>;
  /** Changes to text files, as unified diffs; as many as are short enough. */
  readonly diff: string;
  /** Takes it over. Resolves to phrases as in `findings`; throws (coded) if nothing was taken. */
  take(): Promise<readonly string[]>;
  /** Throws all of it away. */
  drop(): Promise<void>;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "link" | "other";
  readonly bytes: number;
}

export interface WriteOptions {
  /** SHA-256 (hex) of the file, null for none; else `FILE_CHANGED`, and nothing is written. */
  readonly expected?: string | null;
  /** Old bytes up to this size are handed back. Default: none. */
  readonly keepBytes?: number;
}

/** The file that a write replaced. */
export interface FileReplaced {
  readonly existed: boolean;
  /** The earlier bytes, if they were asked for and are not too many. */
  readonly before?: Uint8Array;
}

/** A search of files, a line at a time. */
export interface FileSearch {
  /** Absolute. A file that is not text, too large or unreadable behind the walls is skipped. */
  readonly files: readonly string[];
  /** A regular expression in the syntax of RE2, which is matched in linear time. */
  readonly pattern: string;
  /** Takes the pattern as it stands. Default false. */
  readonly literal?: boolean;
  /** Default false. */
  readonly ignoreCase?: boolean;
  /** Lines before and after each one that are given too. Default none. */
  readonly context?: number;
  /** Lines that hold it, of each file. */
  readonly limit: number;
  readonly maxFileBytes: number;
}

export interface FoundLine {
  /** From 1. */
  readonly line: number;
  /** The line; beyond 300 characters, those around the place, with `…` for the others. */
  readonly text: string;
  /** False if the line only stands near. */
  readonly holds: boolean;
}

/** A file in which something was found. */
export interface FileFound {
  readonly path: string;
  readonly lines: readonly FoundLine[];
  /** True if there are more, beyond the limit or beyond the bound of one search for all files. */
  readonly more: boolean;
}

export interface SearchResult {
  /** In the order of the files. */
  readonly found: readonly FileFound[];
  /** The number of files that were searched. */
  readonly searched: number;
}

/** Opens files behind the walls by absolute paths. Throws coded errors, `PATH_OUTSIDE` for a no. */
export interface SandboxedFiles {
  read(
    path: string,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<{ readonly data: Uint8Array; readonly bytes: number }>;
  /** Creates parent directories; replaces the file in one step. Null removes it. */
  write(
    path: string,
    data: string | Uint8Array | null,
    signal: AbortSignal,
    options?: WriteOptions,
  ): Promise<FileReplaced>;
  list(
    path: string,
    limit: number,
    signal: AbortSignal,
  ): Promise<{ readonly entries: readonly DirectoryEntry[]; readonly more: boolean }>;
  /**
   * Searches in a process apart, ended with `signal`; undefined if that took more memory or
   * processor time than it may. Throws `SEARCH_BAD_PATTERN`, and the signal's reason.
   */
  search(search: FileSearch, signal: AbortSignal): Promise<SearchResult | undefined>;
}

/** The walls that are in force; `detail` is in words that `status` prints. */
export interface SandboxPolicy {
  readonly files: boolean;
  readonly network: boolean;
  readonly detail: string;
}

/** A process that lives until its owner ends it, behind walls of its own. */
export interface OpenSpec {
  /** Program and arguments; no shell in between. */
  readonly argv: readonly string[];
  /** Default: a folder of its own, which is its home too and goes with it. */
  readonly cwd?: string;
  /** Added to the short environment that every child gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** The number of pipes, descriptors from 3 on: at most 3. Default none. */
  readonly pipes?: number;
  /** Paths that it may read besides what every program may; written as in the configuration. */
  readonly read?: readonly string[];
  /** Its own folder in the configuration directory, to read. */ readonly program?: string;
  /** Paths that it may write. Default none but the folder of its own. */
  readonly write?: readonly string[];
  /** Reachable domains, as in `security.allowed_domains`; special addresses never. Default none. */
  readonly domains?: readonly string[];
  /** Instead of those of `[runtime]`, and for this process and what it starts alone. */
  readonly limits?: Partial<Static<typeof RuntimeLimits>>;
  /** It is ended once nothing went through its pipes for so long. Default: never. */
  readonly idleMs?: number;
  /** Its owner's signal, which ends the process: the plugin's, or a conversation's within it. */
  readonly signal: AbortSignal;
}

/** One descriptor of an opened process. What nobody reads makes the process wait. */
export interface ProcessPipe {
  readonly writable: Writable;
  readonly readable: Readable;
}

export interface ProcessEnd {
  /** Null if a signal ended it. */ readonly exitCode: number | null;
  readonly signal: string | null;
  /** `exited` by itself or limits; `closed` by owner or service; `idle`; `lost` with its holder. */
  readonly reason: "exited" | "closed" | "idle" | "lost";
  /** Reasons for which it was stopped, and its effects that were undone; a phrase each. */
  readonly findings: readonly string[];
}

export interface OpenProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Those that were asked for, descriptor 3 first. */
  readonly pipes: readonly ProcessPipe[];
  /** Its way out with the proxy's credential; undefined without domains. In its environment too. */
  readonly proxy: string | undefined;
  /** Resolves once nothing of it is left; never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Ends it, and all that it started. */
  close(): Promise<ProcessEnd>;
}

/** The exports of the module that `Sandbox.confining` names. */
export interface Confining {
  /**
   * Leaves all threads of the process nothing but to compute and to use the descriptors it has.
   * Returns a function that ends the process at once with an exit code, as Node's own way takes
   * more than is left; undefined without such walls. Throws what the kernel says.
   */
  confine(): ((code: number) => void) | undefined;
}

/** The only place from which tools start processes and open files. */
export interface Sandbox {
  readonly files: SandboxedFiles;
  policy(): Promise<SandboxPolicy>;
  /** Never throws for what the program did; throws a coded error if it could not be started. */
  run(spec: RunSpec): Promise<RunResult>;
  /**
   * Runs it without any way out, unseen until it is taken over. A run of an earlier process under
   * the same key that nobody decided on is handed out again. Throws as `run` does.
   */
  tryRun?(spec: RunSpec, context: Omit<TryContext, "signal">): Promise<TriedRun | Untried>;
  /** Resolves once it runs. Throws a coded error if it cannot start, or nothing walls it off. */
  open(spec: OpenSpec): Promise<OpenProcess>;
  /** Address of a {@link Confining} module for `workApart`; undefined if nothing walls that off. */
  readonly confining?: string | undefined;
}
export const Sandbox = one<Sandbox>("sandbox", (sandbox: Sandbox) => {
  const missing = having("policy", "run", "open")(sandbox);
  return missing ?? (Object(sandbox.files) === sandbox.files ? undefined : "has no files");
});
