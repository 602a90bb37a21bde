import type { OwnerGit } from "../workspace/git-settings.ts";

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
