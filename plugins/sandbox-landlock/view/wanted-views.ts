import path from "node:path";
import type { Untried } from "@gantry/sdk";
import { isInside } from "@gantry/sdk/node";
import type { Layers } from "../service/confinement.ts";
import { type Grants, HARMLESS } from "../service/grants.ts";
import { ownerGit } from "../service/owner-git.ts";
import { Views } from "./views.ts";

/** The result of `security.runs`. */
export interface WantedViews {
  /** Undefined: each run works in the workspace itself. */
  readonly views: Views | undefined;
  /** The reason why there are none though wanted, as far as it is known before a process tries. */
  readonly why?: string;
  /** The reason why no run is tried first although it has a view; undefined if it may be. */
  readonly untried?: string | undefined;
  /** Phrases about what runs of a killed service left, for the audit. */
  readonly left: readonly string[];
}

interface Wanted {
  readonly wanted: "view" | "direct";
  readonly base: string;
  readonly layers: string;
  readonly workspace: string;
  readonly secret: readonly string[];
  readonly guarded: readonly string[];
  readonly diskMb: number;
  readonly granted: Pick<Grants, "read" | "write">;
}

/** Begins to keep the layers of runs, if views are wanted and can hold. */
export async function wantedViews({ wanted, base, layers, granted, ...facts }: Wanted): Promise<WantedViews> {
  if (wanted === "direct") return { views: undefined, left: [] };
  const why = noViewsOf(facts.workspace, granted.write);
  if (why !== undefined) return { views: undefined, why, left: [] };
  const { workspace, secret, guarded, diskMb } = facts;
  const own = { ownerGit: ownerGit(), open: granted.read };
  const keeper = { runs: layers, workspace, secret, guarded, diskMb, ...own };
  const views = await Views.start(base, keeper);
  return { views, left: views.left, untried: untriedOf(workspace, granted) };
}

/**
 * Returns why no run can be tried: a view is of the workspace alone, what a run does elsewhere is
 * done, and what it reads from a device is gone.
 */
function untriedOf(workspace: string, { read, write }: Pick<Grants, "read" | "write">): string | undefined {
  const beyond = write.find((one) => one !== workspace && !HARMLESS.includes(one));
  if (beyond !== undefined) return `commands may write ${beyond}, of which no view is made`;
  const device = [...read, ...write].find((one) => isInside(one, "/dev") && !HARMLESS.includes(one));
  return device === undefined ? undefined : `commands may read ${device}`;
}

/** Returns the views in which a run may be tried before a decision, or the reason why not. */
export function triesOf(
  wanted: "view" | "direct",
  { views, why, untried }: WantedViews,
  { noViews, noNamespaces }: Layers,
): Views | Untried {
  if (wanted === "direct") return { untried: "security.runs is direct" };
  const reason = why ?? noNamespaces ?? noViews;
  if (reason !== undefined) return { untried: `there can be no views (${reason})` };
  if (views === undefined || untried !== undefined) return { untried: untried ?? "there are no views" };
  return views;
}

/** Returns why views cannot hold, whatever the kernel has; undefined if they may. */
function noViewsOf(workspace: string, write: readonly string[]): string | undefined {
  if (path.dirname(workspace) === "/")
    return "the workspace lies in the root of the file system: set workspace_path to a folder below another";
  if (!write.includes(workspace))
    return "a part of the workspace is closed to commands by security.blocked_paths or allowed_write_paths";
  return undefined;
}
