import type { RunResult, Untried } from "@gantry/sdk";
import type { OwnerGit } from "../workspace/git-settings.ts";
import type { Unseen } from "../workspace/workspace-walk.ts";
import type { Held } from "./held.ts";
import type { View } from "./view-facts.ts";

/** The facts that the thread which keeps the layers of a workspace's runs works with. */
export interface KeeperFacts {
  /** The folder of these runs. */
  readonly runs: string;
  readonly workspace: string;
  readonly secret: readonly string[];
  readonly guarded: readonly string[];
  readonly ownerGit: OwnerGit;
  /** The real paths that every run may read. */
  readonly open: readonly string[];
  /** The most that one run may add to a disk, in MiB. */
  readonly diskMb: number;
  /** Most bytes on disk of all runs that wait for a decision; default 1 GiB. */
  readonly mostHeldBytes?: number;
}

/** The key that a run is held for, and how long in ms. */
export interface ToHold {
  readonly key: string;
  readonly forMs: number;
}

export type ToKeeper =
  /** Looks after the runs of services that have gone. */
  | { readonly do: "recover" }
  /** `again`: the run before in the same process, which has let its layer go. */
  | { readonly do: "begin"; readonly argv: readonly string[]; readonly again: string | undefined }
  /** All processes of the run are dead. */
  | { readonly do: "take"; readonly id: string }
  | { readonly do: "drop"; readonly id: string }
  /** All processes of the run are dead, and it waits for a decision: then for `take` or `drop`. */
  | ({ readonly do: "hold"; readonly id: string; readonly result: RunResult } & ToHold)
  /**
   * Asks for a run that a service which has gone held under this key, and else if there is room for
   * one more.
   */
  | { readonly do: "held"; readonly key: string }
  /** No run is under way, and none is to come. */
  | { readonly do: "end" };

/** The answer to each request, in order. */
export type FromKeeper =
  | { readonly view: View }
  | { readonly unseen: Unseen }
  | { readonly findings: readonly string[]; readonly wrote?: readonly string[] }
  | { readonly held: Held | undefined }
  | Untried
  | { readonly failed: string };
