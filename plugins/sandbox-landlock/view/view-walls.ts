import path from "node:path";
import type { ConfinedFacts } from "../messages.ts";
import { LOWER, VIEWS } from "./view-facts.ts";

/** The demands of views on the walls around their process. */
interface ViewWalls {
  /** Folders from outside, with where they stand in the process' root. */
  readonly layers: readonly (readonly [from: string, to: string])[];
  /** Paths that Landlock grants so that the grant holds beneath a mount that is made later. */
  readonly granted: readonly string[];
  /** Paths that this process alone reads, to measure a layer: no run has a name for them. */
  readonly own: readonly string[];
}

/**
 * Returns the demands of views. Landlock passes over what a mount hides, so a rule on the workspace
 * says nothing of a view over it: the rule stands on the folder around. In the process' own root
 * that holds nothing but what is granted, and the mounts of that keep what may only be read.
 */
export function viewWalls({ views, workspace }: Pick<ConfinedFacts, "views" | "workspace">): ViewWalls {
  if (!views) return { layers: [], granted: [], own: [] };
  return {
    layers: [
      [views.folder, VIEWS],
      [workspace, LOWER],
    ],
    granted: [path.dirname(workspace)],
    own: [VIEWS],
  };
}
