import type { DirectoryEntry, FileReplaced, RunResult, WriteOptions } from "@gantry/sdk";

/** What the walled thread is asked, by number. */
export type Order =
  | {
      readonly do: "run";
      readonly argv: readonly string[];
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
      readonly timeoutMs: number;
      readonly maxOutputBytes: number;
    }
  | { readonly do: "read"; readonly path: string; readonly maxBytes: number }
  | ({
      readonly do: "write";
      readonly path: string;
      readonly data: string | Uint8Array | null;
    } & WriteOptions)
  | { readonly do: "list"; readonly path: string; readonly limit: number };

/** Why a file could not be used, in the words of the common error codes. */
export type FileFault =
  | { readonly fault: "outside" | "missing" | "changed"; readonly path: string }
  | { readonly fault: "failed"; readonly path: string; readonly verb: string; readonly reason: string }
  | { readonly fault: "not started"; readonly path: string; readonly reason: string };

export interface Answers {
  run: RunResult;
  read: { readonly data: Uint8Array; readonly bytes: number };
  write: FileReplaced;
  list: { readonly entries: readonly DirectoryEntry[]; readonly more: boolean };
}

export type ToThread =
  | { readonly id: number; readonly order: Order }
  | { readonly id: number; readonly abort: true };
export type FromThread =
  | { readonly id: number; readonly value: Answers[keyof Answers] }
  | { readonly id: number; readonly fault: FileFault };

/** What the kernel holds a thread to. */
export interface WallFacts {
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** True where started processes may connect to the proxy. */
  readonly tcp: boolean;
  /** Landlock levels above this are not used; for tests of old kernels. */
  readonly abiCap?: number;
}

/** What a thread is born with. */
export interface ThreadFacts {
  /** Undefined: none. */
  readonly walls: WallFacts | undefined;
  /** Words that stand before every program. */
  readonly prefix: readonly string[];
  readonly groups: SharedArrayBuffer;
}
