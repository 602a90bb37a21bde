import type { RunResult, Untried } from "@gantry/sdk";
import { asError, makeDir } from "@gantry/sdk/node";
import { eachFolder } from "./each-folder.ts";
import { fewOf } from "./findings.ts";
import { FolderWatch } from "../workspace/folder-watch.ts";
import { type Unseen, WorkspaceWalk } from "../workspace/workspace-walk.ts";
import { type Names, namesOf } from "./judge.ts";
import { Holding, type Run, isAwaited } from "./holding.ts";
import type { Held } from "./held.ts";
import type { KeeperFacts, ToHold } from "./keeper-facts.ts";
import { RunFolder } from "./run-folder.ts";
import { RunsLock } from "./runs-lock.ts";
import type { Kept, Plan } from "./step.ts";
import { type Taken, decide, finish, judged, phrases, writtenBy } from "./take-over.ts";
import { makeRoom } from "./room.ts";
import type { View } from "./view-facts.ts";

export interface TakenOver {
  /** Phrases about what was not taken over, or not as the run did it. */
  readonly findings: readonly string[];
  readonly wrote: readonly string[];
}

/** As many as there are processes at a time. */
const MOST_SPARE = 32;
const MIB = 1_048_576n;

/** A run that was judged, while nobody else takes over any. */
interface Planned extends Run {
  readonly plan: Plan;
  readonly lock: RunsLock;
}

/** The layers of one workspace's runs: begun, taken over, or dropped. */
export class Keeper {
  readonly #facts: KeeperFacts;
  readonly #watch: FolderWatch | undefined;
  readonly #walk: WorkspaceWalk;
  readonly #names: Names;
  readonly #holding: Holding;
  /** When something was last taken over, by the clock of file systems. */
  #last = 0n;
  readonly #under = new Map<string, Run>();
  readonly #planned = new Map<string, Planned>();
  /** Runs that are over and have something left to do. */
  readonly #over: RunFolder[] = [];
  /** Folders whose layers are as they were made, by their runs. */
  readonly #spare = new Map<string, RunFolder>();

  constructor(facts: KeeperFacts) {
    this.#facts = facts;
    const names = namesOf(facts.workspace, facts);
    this.#watch = FolderWatch.of(facts.workspace);
    this.#walk = new WorkspaceWalk({
      root: facts.workspace,
      wanted: names,
      owner: facts.ownerGit,
      open: [""],
      watch: this.#watch,
    });
    const mostCopied = BigInt(facts.diskMb) * MIB;
    const followed = (at: string): boolean => this.#walk.follows(at);
    this.#names = { ...names, open: facts.open, mostCopied, followed };
    this.#holding = new Holding(facts, this.#names);
  }

  /**
   * Looks after runs whose service has gone: what was decided is done, and what was not leaves the
   * workspace as it was. Returns a phrase for each that a person should know of.
   */
  recover(): readonly string[] {
    makeDir(this.#facts.runs);
    return new RunsLock(this.#facts.runs).during(() => this.#recover());
  }

  #recover(): readonly string[] {
    const left = RunFolder.all(this.#facts.runs).filter((one) => one.isOf() === "nobody");
    const findings = eachFolder(left, (folder) => {
      const record = folder.read();
      if (record?.steps !== undefined || isAwaited(folder)) return [];
      if (!record || !folder.plan) return folder.remove();
      const taken = finish(folder, record, this.#facts.workspace);
      folder.tidy();
      return phrases(taken, folder.id);
    });
    return fewOf([...findings, ...makeRoom(this.#facts.runs)]);
  }

  /** `again`: the run before in the same process, whose folder serves again if it is unchanged. */
  begin(argv: readonly string[], again = ""): { readonly view: View } | { readonly unseen: Unseen } {
    const { secret, guarded } = this.#walk.find();
    if (this.#walk.unseen) return { unseen: this.#walk.unseen };
    const folder = this.#spare.get(again) ?? RunFolder.make(this.#facts.runs);
    this.#spare.delete(folder.id);
    const record = folder.begin(this.#facts.workspace, argv, secret, this.#last);
    this.#under.set(folder.id, { folder, record });
    return { view: { id: folder.id, hide: secret, hold: guarded } };
  }

  /**
   * Judges what a run left, all of whose processes are dead. Returns the absolute paths of what is
   * to be written, and then nobody takes over another run until {@link take} or {@link drop}; if
   * there are none it is taken over.
   */
  plan(id: string): Pick<TakenOver, "wrote"> | TakenOver {
    const { folder, plan } = this.#plan(id);
    const wrote = writtenBy(folder, plan, this.#facts.workspace);
    return wrote.length === 0 ? this.take(id) : { wrote };
  }

  /** Takes over what a run left; what needs nobody to wait for it is left to {@link tidy}. */
  take(id: string): TakenOver {
    const planned = this.#planned.get(id) ?? this.#plan(id);
    this.#planned.delete(id);
    const taken = planned.lock.during(() => this.#carryOut(planned));
    this.#over.push(planned.folder);
    if (taken.steps + taken.kept.length > 0) this.#last = planned.folder.tick(0n);
    return { findings: fewOf(phrases(taken, id)), wrote: taken.wrote };
  }

  /** Tidies the folders of runs that are over; called when nobody waits. */
  tidy(): void {
    let isKept = false;
    eachFolder(this.#over.splice(0), (folder) => {
      if (folder.isKept()) {
        isKept = true;
        folder.tidy();
      } else if (folder.isAsMade()) this.#spare.set(folder.id, folder);
      else folder.remove();
    });
    // The oldest are those of processes that have ended.
    eachFolder([...this.#spare.values()].slice(0, -MOST_SPARE), (folder) => this.#forget(folder));
    if (isKept) new RunsLock(this.#facts.runs).during(() => makeRoom(this.#facts.runs));
  }

  /** Removes what was made for runs to come, once there are none. */
  end(): void {
    this.#watch?.[Symbol.dispose]();
    eachFolder([...this.#spare.values()], (folder) => this.#forget(folder));
  }

  #forget(folder: RunFolder): void {
    this.#spare.delete(folder.id);
    folder.remove();
  }

  #plan(id: string): Planned {
    const lock = new RunsLock(this.#facts.runs);
    try {
      const run = this.#under.get(id) ?? this.#release(id);
      this.#under.delete(id);
      const planned = { ...run, plan: this.#judge(run), lock };
      this.#planned.set(id, planned);
      return planned;
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /**
   * Judges a layer; one that cannot be judged is kept as it is. Throws for one that was held, and
   * removes it, if it is not decided on as it was shown.
   */
  #judge({ folder, record, held }: Run): Plan {
    try {
      return judged(folder, record, this.#names, held);
    } catch (error) {
      if (!held) return { steps: [], kept: [unseen(error)] };
      folder.remove();
      throw error;
    }
  }

  #carryOut({ folder, record, plan }: Planned): Taken {
    try {
      decide(folder, record, plan);
      return finish(folder, record, this.#facts.workspace);
    } catch (error) {
      const kept = [...plan.kept, unseen(error)];
      folder.write({ ...record, steps: folder.plan?.steps.length ?? 0, kept });
      return { steps: 0, kept, wrote: [folder.upper] };
    }
  }

  /** Forgets a run of which nothing was decided. */
  drop(id: string): void {
    const [planned, run] = [this.#planned.get(id), this.#under.get(id)];
    this.#planned.delete(id);
    this.#under.delete(id);
    if (planned) planned.lock.during(() => planned.folder.remove());
    else if (run && !run.folder.plan) run.folder.remove();
    else this.#holding.drop(id);
  }

  /** Keeps a run that has ended until somebody decides; one that cannot be kept is dropped. */
  async hold(id: string, result: RunResult, to: ToHold): Promise<Held | Untried> {
    const run = this.#under.get(id);
    this.#under.delete(id);
    if (!run) throw new Error("there is no such run");
    try {
      return await this.#holding.hold(run, result, to);
    } catch (error) {
      run.folder.remove();
      throw error;
    }
  }

  /**
   * Looks at the workspace again first: a repository's settings may name other files by now than as
   * the run began, or before this service did.
   */
  #release(id: string): Run {
    this.#walk.find();
    if (this.#walk.unseen) throw new Error(`${this.#walk.unseen.path} cannot be looked through`);
    return this.#holding.release(id);
  }

  /**
   * Returns a run that a service which has gone held under this key; undefined if there is none and
   * one more may wait.
   */
  held(key: string): Held | Untried | undefined {
    return this.#holding.find(key);
  }

  /** Removes what waits longer than anybody may decide. Returns the ms until the next is due. */
  sweep(): number | undefined {
    return this.#holding.sweep();
  }
}

const unseen = (error: unknown): Kept => ({
  at: ".",
  why: `it could not be looked at: ${asError(error).message}`,
});
