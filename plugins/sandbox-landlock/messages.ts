import type { DirectoryEntry, FileSearch, SearchResult, WriteOptions } from "@gantry/sdk/fill";
import type { RunResult } from "@gantry/sdk";
import type { OwnerGit } from "./workspace/git-settings.ts";
import type { Unseen } from "./workspace/workspace-walk.ts";
import type { View, ViewFacts } from "./view/view-facts.ts";

/** The descriptor of a confined process over which these messages go. */
export const CHANNEL = 3;
/** Behind the channel come the pipes of what it is to run, if any. */
export const FIRST_PIPE = 4;

/** A folder that gets another name; absolute paths in the root of the confined process. */
export interface Move {
  readonly from: string;
  readonly to: string;
}

/** A request to a confined process; requests are numbered. */
export type Request =
  | {
      readonly do: "run";
      readonly argv: readonly string[];
      /** Undefined: the folder of its temporary files. */
      readonly cwd: string | undefined;
      readonly env: Readonly<Record<string, string>>;
      /** Undefined: for as long as it likes. */
      readonly timeoutMs: number | undefined;
      readonly maxOutputBytes: number;
      /**
       * That many descriptors from 0 on are the pipes of this process; undefined: no input,
       * collected output.
       */
      readonly pipes?: number;
      /** Undefined: it works in the workspace itself. */
      readonly view?: View;
    }
  /** In the view of the run that is under way. */
  | ({ readonly do: "move" } & Move)
  | { readonly do: "read"; readonly path: string; readonly maxBytes: number }
  /** The bytes travel beside the message; null removes the file. */
  | ({
      readonly do: "write";
      readonly path: string;
      readonly data: string | Uint8Array | null;
    } & WriteOptions)
  | { readonly do: "list"; readonly path: string; readonly limit: number }
  /** Only of a process that is there for that. */
  | ({ readonly do: "search" } & FileSearch);

/**
 * Why a request was not done, still without its error code. `stale`: the walls do not fit the
 * workspace any more. `unseen`: a path in it cannot be looked through for secret files. `full`: the
 * workspace holds what it may.
 */
export type Fault =
  | {
      readonly fault: "outside" | "missing" | "changed" | "secret" | "guarded" | "full";
      readonly path: string;
    }
  | { readonly fault: "failed"; readonly path: string; readonly verb: string; readonly reason: string }
  | { readonly fault: "pattern"; readonly pattern: string; readonly reason: string }
  | { readonly fault: "not started"; readonly path: string; readonly reason: string }
  | ({ readonly fault: "unseen" } & Unseen)
  | { readonly fault: "stale" };

/**
 * The result of each request. Bytes that were read, and old ones that a write hands back, travel
 * beside the message.
 */
export interface Results {
  run: RunResult;
  /** 0, or why not. */
  move: { readonly errno: number };
  read: { readonly bytes: number };
  write: { readonly existed: boolean; readonly kept: boolean };
  list: { readonly entries: readonly DirectoryEntry[]; readonly more: boolean };
  search: SearchResult;
}

/** The limits that the kernel enforces on a confined process. */
export interface WallFacts {
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Files that are neither to be executed nor read. */
  readonly blocked: readonly string[];
  /** Paths by which a granted one is known too, with where each leads. */
  readonly links: readonly (readonly [from: string, to: string])[];
  /** True if started processes may connect to the proxy. */
  readonly tcp: boolean;
  /** True if they have a network of their own, with nothing in it. */
  readonly island: boolean;
  /** True if a control group limits the memory of runs. */
  readonly memoryHeld: boolean;
  /** Landlock levels above this are not used; for tests of old kernels. */
  readonly abiCap?: number | undefined;
  /** Size of the private /tmp. */
  readonly temporaryMb: number;
}

/**
 * The only purpose of a process that runs nothing. `search`: to search files, which may take all it
 * has; the kernel bounds its processor time, and ending it ends nobody else's work.
 */
export type Only = "search";

/** The first message to a confined process. */
export interface ConfinedFacts {
  /** Undefined: none. */
  readonly walls: WallFacts | undefined;
  /** True if it was started in namespaces of its own. */
  readonly namespaces: boolean;
  /** Undefined: runs, and opening files. */
  readonly only: Only | undefined;
  /** Words that stand before every program. */
  readonly prefix: readonly string[];
  readonly workspace: string;
  /** The folder of its runs' temporary files, unless they have a /tmp of their own. */
  readonly temporary: string | undefined;
  readonly secret: readonly string[];
  readonly guarded: readonly string[];
  readonly ownerGit: OwnerGit;
  /** The most that one run may add to each file system that it may write to. */
  readonly diskMb: number;
  /** The most that the workspace may hold. */
  readonly workspaceMb: number;
  /** Undefined: each run works in the workspace itself. */
  readonly views?: ViewFacts | undefined;
}

/** The walls of a confined process, as it reports them. */
export interface Built {
  readonly abi: number;
  /** The descriptor, in its own table, on which the system call filter asks. */
  readonly listener: number;
  /** Secret and guarded files that the kernel holds. */
  readonly masks: number;
  /** True if a run sees its own processes in /proc; if not, /proc is closed. */
  readonly processes: boolean;
  /** The part of the workspace that cannot be searched for such files. */
  readonly unseen?: Unseen;
  /** The reason why no run can have a view, if that was asked for. */
  readonly noViews?: string;
}

export type ToConfined =
  | ConfinedFacts
  /** The supervisor answers from here on. */
  | { readonly go: true }
  | { readonly id: number; readonly request: Request }
  | { readonly id: number; readonly abort: true };

export type FromConfined =
  | { readonly up: true }
  | { readonly built: Built }
  | { readonly absent: string }
  /** The program that was to run with pipes is running. */
  | { readonly id: number; readonly started: true }
  | { readonly id: number; readonly value: Results[keyof Results] }
  | { readonly id: number; readonly fault: Fault };

/** Returns the data of a write, which travels as bytes. */
export function bytesOf(request: Request): Uint8Array | undefined {
  if (request.do !== "write" || request.data === null) return undefined;
  return typeof request.data === "string" ? Buffer.from(request.data) : request.data;
}

export function withoutBytes(request: Request): Request {
  return request.do === "write" && request.data !== null ? { ...request, data: "" } : request;
}
