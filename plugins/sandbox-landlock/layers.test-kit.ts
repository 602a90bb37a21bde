import { chmodSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { KeeperFacts } from "./view/keeper-facts.ts";
import { Keeper } from "./view/keeper.ts";
import { RunFolder, type RunRecord } from "./view/run-folder.ts";
import { RunWords } from "./view/run-words.ts";

export interface Place extends Disposable {
  readonly lists: { readonly secret: readonly string[]; readonly guarded: readonly string[] };
  readonly facts: KeeperFacts;
  readonly workspace: string;
  readonly runs: string;
  readonly keeper: Keeper;
}

/**
 * Makes a workspace and the layers of its runs, in `base`; nothing runs, and layers are written by
 * hand.
 */
export function place(base = tmpdir()): Place {
  const workspace = realpathSync(mkdtempSync(path.join(tmpdir(), "gantry-workspace-")));
  const runs = realpathSync(mkdtempSync(path.join(base, "gantry-layers-")));
  const lists = { secret: [".env"], guarded: [".envrc", ".git/config", ".git/hooks"] };
  const ownerGit = { home: "/", settings: [], files: [] };
  const facts = { runs, workspace, ...lists, ownerGit, open: [], diskMb: 64 };
  const keeper = new Keeper(facts);
  const remove = (): void => {
    keeper.end();
    for (const at of [workspace, runs]) rmSync(at, { recursive: true });
  };
  return { workspace, runs, lists, facts, keeper, [Symbol.dispose]: remove };
}

/** Begins a run by hand. */
export function beginFolder({ workspace, runs }: Place): readonly [RunFolder, RunRecord] {
  const folder = RunFolder.make(runs);
  return [folder, folder.begin(workspace, ["true"], [], 0n)];
}

export function begin({ keeper, runs }: Place): { readonly id: string; readonly upper: string } {
  const said = keeper.begin(["true"]);
  if (!("view" in said)) throw new Error("no view");
  return { id: said.view.id, upper: RunFolder.find(runs, said.view.id)!.upper };
}

/** Makes files of the owner that are older than any run. */
export function prepare({ workspace }: Place): void {
  for (const one of ["f", "g", "d/x"]) {
    mkdirSync(path.dirname(path.join(workspace, one)), { recursive: true });
    writeFileSync(path.join(workspace, one), `was ${one}`);
  }
  const last = lstatSync(path.join(workspace, "d/x"), { bigint: true }).ctimeNs;
  // The clock of a file system ticks.
  while (lstatSync(workspace, { bigint: true }).ctimeNs <= last) chmodSync(workspace, 0o700);
}

/** Undoes a run; returns what stayed. */
export function undo({ runs, workspace }: Pick<Place, "runs" | "workspace">, id: string): readonly string[] {
  const lists = { secret: [".env"], guarded: [".envrc", ".git/config", ".git/hooks"] };
  const said: string[] = [];
  const context = { args: [id], options: { json: true }, out: (line: string) => said.push(line) };
  new RunWords(runs, workspace, lists, context as never).undo();
  const { left } = JSON.parse(said.join("")) as { readonly left: readonly { readonly at: string }[] };
  return left.map(({ at }) => at);
}
