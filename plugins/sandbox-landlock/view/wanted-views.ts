import path from "node:path";
import type { Grants } from "../service/grants.ts";
import { ownerGit } from "../service/owner-git.ts";
import { Views } from "./views.ts";

/** What becomes of `security.runs`. */
export interface WantedViews {
  /** Undefined: each run works in the workspace itself. */
  readonly views: Views | undefined;
  /** Why there are none although they are wanted, as far as that is known before a process tries. */
  readonly why?: string;
  /** What runs of a service that was killed left, for the audit. */
  readonly left: readonly string[];
}

interface Wanted {
  readonly wanted: "view" | "direct";
  readonly base: string;
  readonly layers: string;
  readonly workspace: string;
  readonly secret: readonly string[];
  readonly guarded: readonly string[];
  readonly granted: Pick<Grants, "read" | "write">;
}

/** Begins to keep the layers of runs, where views are wanted and can hold. */
export async function wantedViews({ wanted, base, layers, granted, ...facts }: Wanted): Promise<WantedViews> {
  if (wanted === "direct") return { views: undefined, left: [] };
  const why = noViewsOf(facts.workspace, granted.write);
  if (why !== undefined) return { views: undefined, why, left: [] };
  const { workspace, secret, guarded } = facts;
  const keeper = { runs: layers, workspace, secret, guarded, ownerGit: ownerGit(), open: granted.read };
  const views = await Views.start(base, keeper);
  return { views, left: views.left };
}

/** Where views cannot hold, whatever the kernel has; undefined where they may. */
function noViewsOf(workspace: string, write: readonly string[]): string | undefined {
  if (path.dirname(workspace) === "/")
    return "the workspace lies in the root of the file system: set workspace_path to a folder below another";
  if (!write.includes(workspace))
    return "a part of the workspace is closed to commands by security.blocked_paths or allowed_write_paths";
  return undefined;
}
