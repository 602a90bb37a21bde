import path from "node:path";
import { type Grants, landlockAbi, restrictFiles } from "../kernel/landlock.ts";
import { close, machine } from "../kernel/kernel.ts";
import type { Built, ConfinedFacts, WallFacts } from "../messages.ts";
import { layMasks } from "../workspace/masks.ts";
import { closeOnExec, closeToOthers, dropPrivileges } from "../kernel/privileges.ts";
import { restrictCalls } from "../kernel/seccomp.ts";
import { Temporary } from "./temporary.ts";
import { enterView } from "./view.ts";
import { LOWER, VIEWS } from "../view/view-facts.ts";
import type { Mounter } from "../view/mounter.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** Nobody else may write what tools make, whatever the service was started with. */
const CLOSED_TO_WRITING = 0o022;

/** Beside views, masks keep files only from this process, and each takes the kernel a moment. */
const MOST_BESIDE_VIEWS = 1_000;

/**
 * Builds the walls around this process, outermost first, and returns them. Throws if there is no
 * Landlock, and the kernel's errors.
 */
export async function buildWalls(
  facts: ConfinedFacts & { readonly walls: WallFacts },
  workspace: Workspace,
  mounter?: Mounter,
): Promise<{ readonly built: Built; readonly temporary?: Temporary }> {
  const { walls, namespaces } = facts;
  const abi = Math.min(landlockAbi(), walls.abiCap ?? Infinity);
  if (abi === 0 || !machine) throw new Error("this kernel has no Landlock");
  const own = namespaces ? enterView(walls, layersOf(facts)) : { temporary: false, processes: false };
  const noViews = await mounter?.enter(facts.views!.trial);
  // Each process' folder in /proc tells of its network too.
  const processes = own.processes && walls.island;
  const most = mounter && noViews === undefined ? MOST_BESIDE_VIEWS : Infinity;
  const covered = namespaces ? layMasks(workspace.root, () => workspace.find(), most) : undefined;
  if (covered) workspace.cover(covered);
  process.umask(process.umask() | CLOSED_TO_WRITING);
  closeOnExec();
  dropPrivileges(namespaces, mounter !== undefined);
  const folder = own.temporary ? Temporary.private : facts.temporary;
  const temporary = folder === undefined ? [] : [folder];
  restrictFiles(grantsOf(facts, [...temporary, ...(processes ? ["/proc"] : [])], temporary), abi);
  const listener = restrictCalls({ ...walls, machine, abi, namespaces, views: mounter !== undefined });
  const masks = covered ? covered.secret.length + covered.guarded.length : 0;
  const built = {
    abi,
    listener,
    masks,
    processes,
    ...(workspace.unseen && { unseen: workspace.unseen }),
    ...(noViews !== undefined && { noViews }),
  };
  return folder === undefined ? { built } : { built, temporary: new Temporary(folder) };
}

/**
 * Returns what Landlock grants, with these further paths to read and to write. Landlock passes over
 * what a mount hides, so a rule on the workspace says nothing of a view over it: the rule stands on
 * the folder around. In the process' own root that holds nothing but what is granted, and the
 * mounts of that keep what may only be read. The layers are for this process alone, which measures
 * them: no run has a name for them.
 */
function grantsOf(
  { walls, views, workspace }: ConfinedFacts & { readonly walls: WallFacts },
  read: readonly string[],
  write: readonly string[],
): Grants {
  const around = views ? [path.dirname(workspace)] : [];
  return {
    read: [...walls.read, ...around, ...(views ? [VIEWS] : []), ...read],
    write: [...walls.write, ...around, ...write],
    blocked: walls.blocked,
  };
}

/** Returns what views are made of, with where it stands in the process' own root. */
const layersOf = ({ views, workspace }: ConfinedFacts): readonly (readonly [from: string, to: string])[] =>
  views
    ? [
        [views.folder, VIEWS],
        [workspace, LOWER],
      ]
    : [];

/**
 * Closes the descriptor, of which the supervisor has its own by now: with this one a run could
 * answer for itself.
 */
export function finishWalls({ listener }: Built): void {
  close(listener);
  closeToOthers();
}
