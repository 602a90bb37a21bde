import { asError } from "@gantry/sdk/node";
import { fewOf } from "./findings.ts";
import { WorkspaceWalk } from "../workspace/workspace-walk.ts";
import { type Names, namesOf } from "./judge.ts";
import type { FromKeeper, KeeperFacts } from "./keeper-facts.ts";
import { RunFolder, type RunRecord } from "./run-folder.ts";
import { type Taken, finish, phrases, takeOver } from "./take-over.ts";
import { makeRoom } from "./room.ts";

/** As many as there are processes at a time. */
const MOST_SPARE = 32;

interface Run {
  readonly folder: RunFolder;
  readonly record: RunRecord;
}

/** The layers of one workspace's runs: begun, taken over, or dropped. */
export class Keeper {
  readonly #facts: KeeperFacts;
  readonly #walk: WorkspaceWalk;
  readonly #names: Names;
  /** When something was last taken over, by the clock of file systems. */
  #last = 0n;
  readonly #under = new Map<string, Run>();
  /** What runs that are over have left to do. */
  readonly #over: RunFolder[] = [];
  /** Folders whose layers are as they were made, by their runs. */
  readonly #spare = new Map<string, RunFolder>();

  constructor(facts: KeeperFacts) {
    this.#facts = facts;
    const names = namesOf(facts.workspace, facts);
    this.#walk = new WorkspaceWalk({
      root: facts.workspace,
      wanted: names,
      owner: facts.ownerGit,
      open: [""],
    });
    this.#names = { ...names, open: facts.open, followed: (at) => this.#walk.follows(at) };
  }

  /**
   * Looks after runs whose service has gone: what was decided is done, and what was not leaves the workspace as it was.
   * Returns a phrase for each that a person should know of.
   */
  recover(): readonly string[] {
    const left = RunFolder.all(this.#facts.runs).filter((one) => one.isOf() === "nobody");
    const findings = left.flatMap((folder) => {
      const record = folder.read();
      if (record?.steps !== undefined) return [];
      if (!record || !folder.plan) return folder.remove() ?? [];
      const taken = finish(folder, record, this.#facts.workspace);
      folder.tidy();
      return phrases(taken, folder.id);
    });
    makeRoom(this.#facts.runs);
    return fewOf(findings);
  }

  /** `again`: a run whose folder is used again if that is as it was made. */
  begin(argv: readonly string[], again = ""): FromKeeper {
    const { secret, guarded } = this.#walk.find();
    if (this.#walk.unseen) return { unseen: this.#walk.unseen };
    const folder = this.#spare.get(again) ?? RunFolder.make(this.#facts.runs);
    this.#spare.delete(folder.id);
    const record = folder.begin(this.#facts.workspace, argv, secret, this.#last);
    this.#under.set(folder.id, { folder, record });
    return { view: { id: folder.id, hide: secret, hold: guarded } };
  }

  /** Takes over what a run left; what needs nobody to wait for it is left to {@link tidy}. */
  take(id: string): readonly string[] {
    const run = this.#under.get(id);
    this.#under.delete(id);
    if (!run) return [];
    const taken = this.#takeOver(run.folder, run.record);
    this.#over.push(run.folder);
    if (taken.steps + taken.kept.length > 0) this.#last = run.folder.tick(0n);
    return fewOf(phrases(taken, id));
  }

  /** To be called when nobody waits. */
  tidy(): void {
    let isKept = false;
    for (const folder of this.#over.splice(0)) {
      if (folder.isKept()) {
        folder.tidy();
        isKept = true;
      } else if (folder.isAsMade()) this.#spare.set(folder.id, folder);
      else folder.remove();
    }
    // The oldest are those of processes that have ended.
    for (const folder of [...this.#spare.values()].slice(0, -MOST_SPARE)) this.#forget(folder);
    if (isKept) makeRoom(this.#facts.runs);
  }

  /** Removes what was made for runs to come. */
  end(): readonly string[] {
    for (const folder of this.#spare.values()) this.#forget(folder);
    return [];
  }

  #forget(folder: RunFolder): void {
    this.#spare.delete(folder.id);
    folder.remove();
  }

  /** A layer that cannot be judged is kept as it is. */
  #takeOver(folder: RunFolder, record: RunRecord): Taken {
    try {
      return takeOver(folder, record, this.#names);
    } catch (error) {
      const kept = [{ at: ".", why: `it could not be looked at: ${asError(error).message}` }];
      folder.write({ ...record, steps: folder.plan?.steps.length ?? 0, kept });
      return { steps: 0, kept };
    }
  }

  /** Forgets a run of which nothing was decided. */
  drop(id: string): readonly string[] {
    const run = this.#under.get(id);
    this.#under.delete(id);
    if (run && !run.folder.plan) run.folder.remove();
    return [];
  }
}
