import type { RunResult, Untried } from "@gantry/sdk";
import type { OwnerGit } from "../workspace/git-settings.ts";
import type { Unseen } from "../workspace/workspace-walk.ts";
import type { Held } from "./held.ts";
import type { View } from "./view-facts.ts";

/** What the thread that keeps the layers of a workspace's runs works with. */
export interface KeeperFacts {
  /** The folder of these runs. */
  readonly runs: string;
  readonly workspace: string;
  readonly secret: readonly string[];
  readonly guarded: readonly string[];
  readonly ownerGit: OwnerGit;
  /** What every run may read, as real paths. */
  readonly open: readonly string[];
  /** What one run may add to a disk. */
  readonly diskMb: number;
  /** What runs that wait for a decision may take on disk together; default 1 GiB. */
  readonly mostHeldBytes?: number;
}

/** What a run is held for, and how long in ms. */
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
  /** Asks for a run that a service which has gone held under this key, and else if there is room for one more. */
  | { readonly do: "held"; readonly key: string }
  /** No run is under way, and none is to come. */
  | { readonly do: "end" };

/** What each comes to, in order. */
export type FromKeeper =
  | { readonly view: View }
  | { readonly unseen: Unseen }
  | { readonly findings: readonly string[]; readonly wrote?: readonly string[] }
  | { readonly held: Held | undefined }
  | Untried
  | { readonly failed: string };
