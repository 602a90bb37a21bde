import { ConfinedProcess } from "./confined-process.ts";
import { type Holder, NoWalls, hasNamespaces } from "./launch.ts";
import type { Built, ConfinedFacts, Only, WallFacts } from "../messages.ts";
import { ownerGit } from "./owner-git.ts";
import type { Supervisor } from "../supervisor/supervisor-thread.ts";
import type { WorkspaceRuns } from "./workspace-runs.ts";
import type { Added, Bounds } from "../supervisor/supervisor.ts";

/** What processes are confined to; whether each gets a network of its own shows as it starts. */
export type Walls = Omit<WallFacts, "island">;

export interface ConfinementOptions extends Pick<
  ConfinedFacts,
  "workspace" | "secret" | "guarded" | "mostFolders" | "diskMb" | "workspaceMb" | "prefix"
> {
  /** The address of the file beside which the entries stand. */
  readonly base: string;
  /** All runs of this service in the workspace. */
  readonly runs: WorkspaceRuns;
  /** Undefined: processes without walls. */
  readonly walls?: Walls;
  /** What the supervisor holds them to; undefined without walls. */
  readonly bounds?: Bounds;
  /** False: none are tried, as where the system refuses them. */
  readonly namespaces?: boolean;
  /** How long a process may take to start. */
  readonly startMs?: number;
  /** As in {@link LaunchOptions}. */
  readonly lateMs?: number | undefined;
  /** How many pipes each process has for what it runs. */
  readonly pipes?: number;
}

const NOT_WANTED = "they are switched off";

/** Puts one process after another behind the same walls. */
export class Confiner {
  readonly #options: ConfinementOptions;
  readonly #walls: Walls;
  readonly #supervisor: Supervisor;
  readonly #holder: Holder;

  constructor(options: ConfinementOptions, walls: Walls, supervisor: Supervisor, holder: Holder) {
    this.#options = options;
    this.#walls = walls;
    this.#supervisor = supervisor;
    this.#holder = holder;
  }

  async next(only?: Only): Promise<ConfinedProcess> {
    const confined = await ConfinedProcess.start(this.#holder, { ...this.#options, only });
    try {
      await this.one(confined, only);
      return confined;
    } catch (error) {
      await confined.close();
      throw error;
    }
  }

  async one(confined: ConfinedProcess, only?: Only): Promise<Built & Added> {
    const { read, write } = this.#walls;
    const namespaces = hasNamespaces(this.#holder);
    // Without namespaces nothing else would end what goes on starting processes after the service was killed: once nobody
    // answers, the kernel refuses.
    const starts = this.#walls.starts || !namespaces;
    const walls = { ...this.#walls, starts, island: this.#holder === "island" };
    const temporary = namespaces ? undefined : confined.makeTemporary([...read, ...write]);
    const built = await confined.confine(factsOf(this.#options, { walls, namespaces, only, temporary }));
    const { listener, secret } = built;
    this.#options.runs.remember(confined, secret);
    const own = temporary === undefined ? [] : [temporary];
    const masked = namespaces && { masked: { root: this.#options.workspace, files: secret } };
    const added = await this.#supervisor.add({ pid: confined.pid, listener, write: own, ...masked });
    if (!added) throw new Error("the confined process ended");
    confined.go();
    return { ...built, ...added };
  }
}

/** The best that the system allows. An island is none where there is a way out. */
export async function startFirst(
  options: ConfinementOptions,
  { tcp }: Walls,
): Promise<readonly [first: ConfinedProcess, holder: Holder, noNamespaces: string | undefined]> {
  const wanted: readonly Holder[] =
    options.namespaces === false ? [] : tcp ? ["namespace"] : ["island", "namespace"];
  let refused = NOT_WANTED;
  for (const holder of wanted) {
    try {
      return [await ConfinedProcess.start(holder, options), holder, undefined];
    } catch (error) {
      if (!(error instanceof NoWalls)) throw error;
      refused = error.message;
    }
  }
  return [await ConfinedProcess.start("keeper", options), "keeper", refused];
}

export async function startOpen(options: ConfinementOptions, only?: Only): Promise<ConfinedProcess> {
  const confined = await ConfinedProcess.start("itself", { ...options, only });
  const temporary = confined.makeTemporary([options.workspace]);
  confined.tell(factsOf(options, { walls: undefined, namespaces: false, only, temporary }));
  return confined;
}

function factsOf(
  { workspace, secret, guarded, mostFolders, diskMb, workspaceMb, prefix }: ConfinementOptions,
  own: Pick<ConfinedFacts, "walls" | "namespaces" | "only" | "temporary">,
): ConfinedFacts {
  const bounds = { mostFolders, diskMb, workspaceMb };
  return { ...own, ...bounds, prefix, workspace, secret, guarded, ownerGit: ownerGit() };
}
