import { ConfinedProcess } from "./confined-process.ts";
import { type Holder, NoWalls, hasNamespaces } from "./launch.ts";
import type { Built, ConfinedFacts, Move, Only, WallFacts } from "../messages.ts";
import { ownerGit } from "./owner-git.ts";
import type { Supervisor } from "../supervisor/supervisor-thread.ts";
import type { Views } from "../view/views.ts";
import type { WorkspaceRuns } from "./workspace-runs.ts";
import type { Added, Bounds } from "../supervisor/supervisor.ts";

/** What processes are confined to; whether each gets a network of its own shows as it starts. */
type Walls = Omit<WallFacts, "island" | "abiCap">;

export interface ConfinementOptions extends Pick<
  ConfinedFacts,
  "workspace" | "secret" | "guarded" | "mostFolders" | "diskMb" | "workspaceMb"
> {
  /** The address of the file beside which the entries stand. */
  readonly base: string;
  /** All runs of this service in the workspace. */
  readonly runs: WorkspaceRuns;
  /** Undefined: processes without walls. */
  readonly walls?: Walls;
  /** What the supervisor holds them to; undefined without walls. */
  readonly bounds?: Bounds;
  /** Landlock levels above it are not used. */
  readonly abiCap?: number | undefined;
  /** False: none are tried, as where the system refuses them. */
  readonly namespaces?: boolean;
  /** How long a process may take to start. */
  readonly startMs?: number;
  /** As in {@link LaunchOptions}. */
  readonly lateMs?: number | undefined;
  /** Words that stand before every program; undefined: none. */
  readonly prefix?: readonly string[];
  /** Undefined: each run works in the workspace itself. */
  readonly views?: Views | undefined;
  /** How many pipes each process has for what it runs. */
  readonly pipes?: number;
}

const EXDEV = 18;
const NOT_WANTED = "they are switched off";

/** What processes are put behind, one after another. */
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
): Promise<Built & Added> {
  const namespaces = hasNamespaces(holder);
  // Without namespaces nothing else would end what goes on starting processes after the service was killed: once nobody
  // answers, the kernel refuses.
  const starts = behind.walls.starts || !namespaces;
  const walls = { ...behind.walls, starts, island: holder === "island", abiCap: options.abiCap };
  const temporary = namespaces ? undefined : confined.makeTemporary([...walls.read, ...walls.write]);
  const facts = factsOf(options, { walls, namespaces, only, temporary });
  const views = namespaces && only === undefined ? options.views : undefined;
  const built = await confineWithViews(confined, facts, views);
  const { listener, secret } = built;
  options.runs.remember(confined, secret);
  const write = temporary === undefined ? [] : [temporary];
  const masked = namespaces && { masked: { root: options.workspace, files: secret } };
  const supervised = { pid: confined.pid, listener, write, ...masked };
  const added = await supervisor.add(supervised, views && ((move) => moveBy(confined, move)));
  if (!added) throw new Error("the confined process ended");
  confined.go();
  return { ...built, ...added };
}

/** Returns what the confined process says; where it has gone nobody waits for that. */
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
  /** Why there are no namespaces; undefined where there are. */
  readonly noNamespaces: string | undefined;
}

/** The best that the system allows. An island is none where there is a way out. */
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
  const first = await ConfinedProcess.start("keeper", options);
  return { first, holder: "keeper", noNamespaces: refused };
}

export async function startOpen(options: ConfinementOptions, only?: Only): Promise<ConfinedProcess> {
  const confined = await ConfinedProcess.start("itself", { ...options, only });
  const temporary = confined.makeTemporary([options.workspace]);
  confined.tell(factsOf(options, { walls: undefined, namespaces: false, only, temporary }));
  return confined;
}

function factsOf(
  { workspace, secret, guarded, mostFolders, diskMb, workspaceMb, prefix = [] }: ConfinementOptions,
  own: Pick<ConfinedFacts, "walls" | "namespaces" | "only" | "temporary">,
): ConfinedFacts {
  const bounds = { mostFolders, diskMb, workspaceMb };
  return { ...own, ...bounds, prefix, workspace, secret, guarded, ownerGit: ownerGit() };
}
