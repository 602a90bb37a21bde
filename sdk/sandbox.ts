import { one } from "./slot.ts";

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
}

export interface RunResult {
  /** Null where a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly droppedBytes: number;
  readonly timedOut: boolean;
  /** What was stopped, or undone after the run, because the walls could not hold it beforehand; a phrase each. */
  readonly findings?: readonly string[];
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "link" | "other";
  readonly bytes: number;
}

export interface WriteOptions {
  /** SHA-256 (hex) of what the file must hold, null where there must be none; else `FILE_CHANGED`, and nothing is written. */
  readonly expected?: string | null;
  /** Old bytes up to this size are handed back. Default: none. */
  readonly keepBytes?: number;
}

/** What a write found in its place. */
export interface FileReplaced {
  readonly existed: boolean;
  /** What the file held, where it was asked for and is not too large. */
  readonly before?: Uint8Array;
}

/** Files, opened from behind the walls. Paths are absolute; a wall's no is `PATH_OUTSIDE`, the rest are coded errors. */
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
}

/** What is in force, in words that `status` prints. */
export interface SandboxPolicy {
  readonly files: boolean;
  readonly network: boolean;
  readonly detail: string;
}

/** The only place from which tools start processes and open files. */
export interface Sandbox {
  readonly files: SandboxedFiles;
  policy(): Promise<SandboxPolicy>;
  /** Never throws for what the program did; throws a coded error where it could not be started. */
  run(spec: RunSpec): Promise<RunResult>;
}
export const Sandbox = one<Sandbox>("sandbox");
