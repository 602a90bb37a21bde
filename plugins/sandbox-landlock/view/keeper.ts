import { asError } from "@gantry/sdk/node";
import { fewOf } from "../workspace/findings.ts";
import { WorkspaceWalk } from "../workspace/workspace-walk.ts";
import { type Names, namesOf } from "./judge.ts";
import type { FromKeeper, KeeperFacts } from "./keeper-facts.ts";
import { RunFolder, type RunRecord } from "./run-folder.ts";
import { type Taken, finish, phrases, takeOver } from "./take-over.ts";
import { makeRoom } from "./room.ts";

/** The layers of one workspace's runs: begun, taken over, or dropped. */
export class Keeper {
  readonly #facts: KeeperFacts;
  readonly #walk: WorkspaceWalk;
  readonly #names: Names;
  /** When something was last taken over, by the clock of file systems. */
  #last = 0n;
  readonly #under = new Map<string, RunRecord>();

  constructor(facts: KeeperFacts) {
    this.#facts = facts;
    const names = namesOf(facts.workspace, facts);
    this.#walk = new WorkspaceWalk({
      root: facts.workspace,
      wanted: names,
      owner: facts.ownerGit,
      open: [""],
      most: Infinity,
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
      return phrases(finish(folder, record, this.#facts.workspace), folder.id);
    });
    makeRoom(this.#facts.runs);
    return fewOf(findings);
  }

  begin(argv: readonly string[]): FromKeeper {
    const { secret, guarded } = this.#walk.find();
    if (this.#walk.unseen) return { unseen: this.#walk.unseen };
    const folder = RunFolder.make(this.#facts.runs);
    this.#under.set(folder.id, folder.begin(this.#facts.workspace, argv, secret, this.#last));
    return { view: { id: folder.id, hide: secret, hold: guarded } };
  }

  take(id: string): readonly string[] {
    const [folder, record] = [RunFolder.find(this.#facts.runs, id), this.#under.get(id)];
    this.#under.delete(id);
    if (!folder || !record) return [];
    const taken = this.#takeOver(folder, record);
    if (taken.steps + taken.kept.length > 0) {
      this.#last = folder.tick(0n);
      makeRoom(this.#facts.runs);
    }
    return fewOf(phrases(taken, id));
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
    this.#under.delete(id);
    const folder = RunFolder.find(this.#facts.runs, id);
    if (!folder?.plan) folder?.remove();
    return [];
  }
}
