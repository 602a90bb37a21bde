import path from "node:path";
import { inSlices, isInside } from "@gantry/sdk/node";
import { errors } from "./errors.ts";
import type { GlobTest } from "./glob.ts";
import { IgnoreRules, MAX_RULES, type Reading } from "./ignore-rules.ts";
import { shownPath } from "./place.ts";

const MAX_ENTRIES = 100_000;

export interface Walk extends Reading {
  /** The place to begin: a folder, or one file. */
  readonly root: string;
  readonly workspace: string;
  /** Only the files that fit, by their path from the root or from the workspace. */
  readonly glob?: GlobTest;
}

export interface WalkedFile {
  readonly path: string;
  readonly bytes: number;
}

interface Waiting extends WalkedFile {
  readonly isFolder: boolean;
  readonly rules: IgnoreRules | undefined;
}

/**
 * Yields every file beneath a folder, by name. Links are not followed; hidden files and those that
 * ignore files leave out are not visited, unless the walk begins there. Throws if the root cannot
 * be read, and `SEARCH_BAD_GLOB`.
 */
export async function* walk(options: Walk): AsyncGenerator<WalkedFile, void> {
  const waiting: Waiting[] = [];
  const open = async (folder: string, above: IgnoreRules | undefined): Promise<void> => {
    for (const one of await visited(options, folder, above)) waiting.push(one);
  };

  await open(options.root, await rulesAbove(options));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    options.signal.throwIfAborted();
    if (!next.isFolder) yield next;
    else
      await open(next.path, next.rules).catch((error: unknown) => {
        options.signal.throwIfAborted();
        if ((error as { code?: string }).code === "SEARCH_BAD_GLOB") throw error;
      });
  }
}

/** Returns the entries of a folder to visit, the last name first. */
async function visited(options: Walk, folder: string, above: IgnoreRules | undefined): Promise<Waiting[]> {
  const { files, signal, unheeded } = options;
  const { entries } = await files.list(folder, MAX_ENTRIES, signal);
  const rules = await IgnoreRules.read(options, folder, above, new Set(entries.map(({ name }) => name)));
  const found = entries
    .filter(({ name, kind }) => !name.startsWith(".") && (kind === "directory" || kind === "file"))
    .map(({ name, kind, bytes }) => ({
      path: path.join(folder, name),
      bytes,
      isFolder: kind === "directory",
    }))
    .toReversed();
  const kept: Waiting[] = [];
  const heed = (one: WalkedFile & { readonly isFolder: boolean }): void => {
    if (rules?.ignores(one.path, one.isFolder)) return;
    kept.push({ ...one, rules: one.isFolder ? rules?.within(one.path) : undefined });
  };
  if (await inSlices(found, heed, signal)) return fitting(options, kept);
  for (const one of rules?.folders ?? []) unheeded.add(one);
  return fitting(
    options,
    found.map((one) => ({ ...one, rules: undefined })),
  );
}

async function fitting(
  { root, workspace, signal, glob }: Walk,
  found: readonly Waiting[],
): Promise<Waiting[]> {
  const bases = isInside(root, workspace) ? [root, workspace] : [root];
  const kept: Waiting[] = [];
  const visit = (one: Waiting): void => {
    const fits = (base: string): boolean => glob?.fits(path.relative(base, one.path)) ?? true;
    if (one.isFolder || bases.some(fits)) kept.push(one);
  };
  if (!(await inSlices(found, visit, signal))) throw errors.SEARCH_BAD_GLOB(glob?.written ?? "");
  return kept;
}

/**
 * Returns the rules that the folders between the workspace and the root have for the root's
 * entries.
 */
async function rulesAbove(options: Walk): Promise<IgnoreRules | undefined> {
  const { root, workspace, signal, unheeded } = options;
  const relative = path.relative(workspace, root);
  if (relative === "" || relative.startsWith("..")) return undefined;
  let rules: IgnoreRules | undefined;
  let folder = workspace;
  for (const name of relative.split(path.sep)) {
    rules = await IgnoreRules.read(options, folder, rules);
    folder = path.join(folder, name);
  }
  let within: IgnoreRules | undefined;
  if (await inSlices([root], (at) => void (within = rules?.within(at)), signal)) return within;
  for (const one of rules?.folders ?? []) unheeded.add(one);
  return undefined;
}

/** Names the rules that were not heeded; nothing if all were. */
export function unheededNotes({
  unheeded,
  workspace,
}: Pick<Walk, "unheeded" | "workspace">): readonly string[] {
  const [first, ...more] = unheeded;
  if (first === undefined) return [];
  const others = more.length > 0 ? ` and of ${more.length} more` : "";
  return [
    `the ignore rules of ${shownPath(first, workspace)}${others} were not heeded: more than ${MAX_RULES}, or too slow`,
  ];
}
