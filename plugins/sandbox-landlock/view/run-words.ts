import path from "node:path";
import type { CommandContext, Store } from "@gantry/sdk";
import { materialFiles } from "@gantry/sdk/fill";
import { errors } from "../errors.ts";
import type { Kept, Step } from "./step.ts";
import { RunFolder, type RunRecord } from "./run-folder.ts";
import { takeKept } from "./take-kept.ts";
import { finish } from "./take-over.ts";
import { type RefuseBack, undoSteps } from "./undo.ts";
import { Judge, namesOf } from "./judge.ts";
import { Merged } from "./merged.ts";
import { ownerGit } from "../service/owner-git.ts";
import { WorkspaceWalk } from "../workspace/workspace-walk.ts";

/** The files that the settings call secret and guarded. */
export interface Lists {
  readonly secret: readonly string[];
  readonly guarded: readonly string[];
}

interface Run {
  readonly folder: RunFolder;
  readonly record: RunRecord;
}

/** The subcommands of `gantry runs`; whoever calls one but `list` has the lock of the runs. */
export class RunWords {
  readonly #runs: string;
  readonly #workspace: string;
  readonly #lists: Lists;
  readonly #context: CommandContext;
  readonly #values: Store["values"] | undefined;

  constructor(
    runs: string,
    workspace: string,
    lists: Lists,
    context: CommandContext,
    values?: Store["values"],
  ) {
    this.#lists = lists;
    this.#runs = runs;
    this.#workspace = workspace;
    this.#context = context;
    this.#values = values;
  }

  list(): number {
    const runs = RunFolder.all(this.#runs).flatMap((folder) => {
      const record = folder.read();
      return record?.steps === undefined ? [] : [{ folder, record }];
    });
    if (this.#context.options["json"]) this.#print({ runs: runs.map(({ record }) => summaryOf(record)) });
    else if (runs.length === 0) this.#context.out("Nothing is kept of any command.");
    else for (const { record } of runs) this.#context.out(lineOf(record));
    return 0;
  }

  show(): number {
    const { folder, record } = this.#find();
    const steps = folder.plan?.steps ?? [];
    const kept = record.kept ?? [];
    if (this.#context.options["json"]) {
      const changes = steps.map((step) => ({ path: pathOf(step), change: changeOf(step) }));
      this.#print({ ...summaryOf(record), changes, kept });
      return 0;
    }
    this.#context.out(lineOf(record));
    for (const step of steps) this.#context.out(`  ${changeOf(step)}: ${shown(pathOf(step))}`);
    this.#say(kept);
    return 0;
  }

  async take(): Promise<number> {
    const { folder, record } = this.#find();
    const paths = this.#context.args.slice(1);
    const inLayer = (record.kept ?? []).flatMap(({ at, beside }) => (beside === undefined ? [at] : []));
    for (const one of paths)
      if (!inLayer.includes(one)) throw errors.SANDBOX_RUN_PATH(record.id, one, record.id);
    const wanted = paths.length > 0 ? paths : inLayer;
    if (this.#values) await this.#note(folder.upper, wanted, this.#values);
    const { taken, kept } = takeKept(folder, record, this.#workspace, paths);
    if (this.#context.options["json"]) this.#print({ id: record.id, taken, kept });
    else {
      this.#context.out(`Taken over: ${taken.length === 0 ? "nothing" : taken.map(shown).join(", ")}.`);
      this.#say(kept);
    }
    return 0;
  }

  /** Notes that what is taken holds the material which the run's conversation held. */
  async #note(layer: string, taken: readonly string[], values: Store["values"]): Promise<void> {
    const { space, forMs } = materialFiles;
    const material = await values.get(space, layer);
    if (material === undefined) return;
    for (const at of taken) await values.put(space, path.join(this.#workspace, at), material, { forMs });
  }

  drop(): number {
    const { folder, record } = this.#find();
    folder.remove();
    if (this.#context.options["json"]) this.#print({ id: record.id, dropped: true });
    else this.#context.out(`Nothing is kept of run ${record.id} any more.`);
    return 0;
  }

  undo(): number {
    const { folder, record } = this.#find();
    if (record.undone) throw errors.SANDBOX_RUN_UNDONE(record.id);
    const steps = folder.plan?.steps ?? [];
    const before = RunFolder.all(this.#runs).flatMap((one) => one.read()?.restored ?? []);
    const places = folder.places(this.#workspace);
    const { kept: left, restored } = undoSteps(places, steps, record.done ?? [], before, this.#refuseBack());
    const undone = left.length < steps.length || steps.length === 0;
    if (undone) folder.write({ ...record, undone, restored, bytes: undefined });
    if (this.#context.options["json"]) this.#print({ id: record.id, undone, left });
    else {
      this.#context.out(undone ? `Run ${record.id} is undone.` : `Nothing of run ${record.id} was undone.`);
      for (const { at, why } of left) this.#context.out(`  stays: ${shown(at)} (${why})`);
    }
    return undone ? 0 : 1;
  }

  /** Asks the judge of runs about what is to be given back, as the workspace is at that moment. */
  #refuseBack(): RefuseBack {
    const wanted = namesOf(this.#workspace, this.#lists);
    const walk = new WorkspaceWalk({ root: this.#workspace, wanted, owner: ownerGit(), open: [""] });
    walk.find();
    const names = { ...wanted, followed: (at: string) => walk.follows(at), open: [] };
    return (...asked) => new Judge(names, new Merged(this.#workspace, "", []), []).refuseBack(...asked);
  }

  /** Throws SANDBOX_RUN_UNKNOWN, SANDBOX_RUN_BUSY. */
  #find(): Run {
    const id = this.#context.args[0] ?? "";
    const folder = RunFolder.find(this.#runs, id);
    const record = folder?.read();
    if (!folder || !record) throw errors.SANDBOX_RUN_UNKNOWN(id);
    if (record.steps !== undefined) return { folder, record };
    if (folder.isOf() !== "nobody" || !folder.plan) throw errors.SANDBOX_RUN_BUSY(id);
    finish(folder, record, this.#workspace);
    folder.tidy();
    return { folder, record: folder.read() ?? record };
  }

  #say(kept: readonly Kept[]): void {
    for (const { at, why, beside } of kept)
      this.#context.out(
        beside === undefined
          ? `  not taken over: ${shown(at)} (${why})`
          : `  ${shown(at)}: ${why}; the run's is ${shown(beside)}`,
      );
  }

  #print(value: unknown): void {
    this.#context.out(JSON.stringify(value));
  }
}

const summaryOf = ({ id, began, argv, steps = 0, kept = [], undone = false }: RunRecord) => ({
  id,
  began: new Date(began).toISOString(),
  argv,
  changes: steps,
  kept: kept.length,
  undone,
});

function lineOf(record: RunRecord): string {
  const { id, began, argv, changes, kept, undone } = summaryOf(record);
  const when = began.slice(0, 16).replace("T", " ");
  const what = `${changes} taken over, ${kept} told of${undone ? ", undone" : ""}`;
  return `${id}  ${when}  ${what}  ${shown(argv.join(" ")).slice(0, 80)}`;
}

const pathOf = (step: Step): string => (step.do === "put" ? step.to : step.at);

function changeOf(step: Step): string {
  if (step.do === "put") return step.was ? "changed" : "added";
  return { remove: "removed", folder: "folder added", mode: "mode changed" }[step.do];
}

/** Returns a name, which a run has chosen, with what a terminal would obey written out. */
const shown = (text: string): string =>
  text.replace(/[\p{C}\u2028\u2029]/gu, (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`);
