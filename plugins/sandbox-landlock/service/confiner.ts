import { isInside } from "@gantry/sdk/node";
import { ConfinedProcess } from "./confined-process.ts";
import { type Holder, NoWalls, hasNamespaces } from "./launch.ts";
import type { Built, ConfinedFacts, Move, Only, WallFacts } from "../messages.ts";
import { ownerGit } from "./owner-git.ts";
import type { Supervisor } from "../supervisor/supervisor-thread.ts";
import type { Views } from "../view/views.ts";
import type { OwnFolders } from "../supervisor/in-root.ts";
import type { Limits } from "./limits.ts";

/** The limits of processes; whether each gets a network of its own shows as it starts. */
type Walls = Omit<WallFacts, "island" | "abiCap">;

export interface ConfinementOptions extends Pick<
  ConfinedFacts,
  "workspace" | "secret" | "guarded" | "diskMb" | "workspaceMb"
> {
  /** The address of the file beside which the entries stand. */
  readonly base: string;
  /** Undefined: processes without walls. */
  readonly walls?: Walls;
  /** The limits of what they use; undefined without walls. */
  readonly limits?: Pick<Limits, "groups" | "limitsOf">;
  /** Landlock levels above it are not used. */
  readonly abiCap?: number | undefined;
  /** False: none are tried, as when the system refuses them. */
  readonly namespaces?: boolean;
  /** True: without them nothing is started. */
  readonly needsNamespaces?: boolean;
  /** Most milliseconds that a process may take to start. */
  readonly startMs?: number;
  /** As in {@link LaunchOptions}. */
  readonly lateMs?: number | undefined;
  /** Words that stand before every program; undefined: none. */
  readonly prefix?: readonly string[];
  /** Undefined: each run works in the workspace itself. */
  readonly views?: Views | undefined;
  /** The number of pipes that each process has for its run. */
  readonly pipes?: number;
}

/** The folder of temporary files that a process with namespaces has of its own. */
const TEMPORARY = "/tmp";
const EXDEV = 18;
const NOT_WANTED = "they are switched off";

/** The walls that processes are put behind, one after another. */
interface Behind {
  readonly options: ConfinementOptions;
  readonly walls: Walls;
  readonly supervisor: Supervisor;
  readonly holder: Holder;
}

export async function startBehind(behind: Behind, only?: Only): Promise<ConfinedProcess> {
  const confined = await ConfinedProcess.start(behind.holder, { ...behind.options, only });
  try {
    await confine(behind, confined, only);
    return confined;
  } catch (error) {
    await confined.close();
    throw error;
  }
}

/** Builds the walls around a process that was just started. */
export async function confine(
  { options, supervisor, holder, ...behind }: Behind,
  confined: ConfinedProcess,
  only?: Only,
): Promise<Built> {
  const namespaces = hasNamespaces(holder);
  const walls = { ...behind.walls, island: holder === "island", abiCap: options.abiCap };
  const temporary = namespaces ? undefined : confined.makeTemporary([...walls.read, ...walls.write]);
  const facts = factsOf(options, { walls, namespaces, only, temporary });
  const views = namespaces && only === undefined ? options.views : undefined;
  const built = await confineWithViews(confined, facts, views);
  const isView = views !== undefined && built.noViews === undefined;
  const supervised = {
    pid: confined.pid,
    listener: built.listener,
    limits: options.limits!.limitsOf(namespaces),
    own: ownOf(facts, isView),
  };
  const mover = views && ((move: Move) => moveBy(confined, move));
  if (!(await supervisor.add(supervised, mover))) throw new Error("the confined process ended");
  confined.go();
  return built;
}

/**
 * Returns the folders that no other process has: a run's view, and its temporary files but for what
 * is granted within. Without namespaces there are none: a link in one may be to the owner's socket.
 */
function ownOf({ walls, namespaces, workspace }: ConfinedFacts, isView: boolean): OwnFolders {
  if (!namespaces) return { folders: [], others: [] };
  const granted = [...walls!.read, ...walls!.write];
  const view = isView ? [workspace] : [];
  const isShared = granted.some((root) => isInside(TEMPORARY, root));
  const others = granted.filter((root) => isInside(root, TEMPORARY) && !view.includes(root));
  return { folders: isShared ? view : [...view, TEMPORARY], others };
}

/** Returns the confined process' answer; once it has gone nobody waits for one. */
async function moveBy(confined: ConfinedProcess, move: Move): Promise<number> {
  try {
    const { value } = await confined.request<"move">({ do: "move", ...move }, new AbortController().signal);
    return value.errno;
  } catch {
    return EXDEV;
  }
}

/** Tells it of views, if its runs are to have any. */
async function confineWithViews(
  confined: ConfinedProcess,
  facts: ConfinedFacts,
  views: Views | undefined,
): Promise<Built> {
  if (!views) return confined.confine(facts);
  const trial = await views.trial();
  try {
    return await confined.confine({ ...facts, views: { folder: views.folder, trial } });
  } finally {
    await views.drop(trial);
  }
}

/** The first of all, with what ends it. */
export interface First {
  readonly first: ConfinedProcess;
  readonly holder: Holder;
  /** The reason why there are no namespaces; undefined if there are. */
  readonly noNamespaces: string | undefined;
}

/**
 * Starts the first process behind the best that the system allows. A network with a way out is not
 * an island. Throws NoWalls.
 */
export async function startFirst(options: ConfinementOptions, { tcp }: Walls): Promise<First> {
  const wanted: readonly Holder[] =
    options.namespaces === false ? [] : tcp ? ["namespace"] : ["island", "namespace"];
  let refused = NOT_WANTED;
  for (const holder of wanted) {
    try {
      return { first: await ConfinedProcess.start(holder, options), holder, noNamespaces: undefined };
    } catch (error) {
      if (!(error instanceof NoWalls)) throw error;
      refused = error.message;
    }
  }
  if (options.needsNamespaces) throw new NoWalls(`there are no namespaces: ${refused}`);
  const first = await ConfinedProcess.start("itself", options);
  return { first, holder: "itself", noNamespaces: refused };
}

export async function startOpen(options: ConfinementOptions, only?: Only): Promise<ConfinedProcess> {
  const confined = await ConfinedProcess.start("itself", { ...options, only });
  const temporary = confined.makeTemporary([options.workspace]);
  confined.tell(factsOf(options, { walls: undefined, namespaces: false, only, temporary }));
  return confined;
}

function factsOf(
  { workspace, secret, guarded, diskMb, workspaceMb, prefix = [] }: ConfinementOptions,
  own: Pick<ConfinedFacts, "walls" | "namespaces" | "only" | "temporary">,
): ConfinedFacts {
  return { ...own, diskMb, workspaceMb, prefix, workspace, secret, guarded, ownerGit: ownerGit() };
}
