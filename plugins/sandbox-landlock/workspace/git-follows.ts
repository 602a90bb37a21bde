import { readFileSync } from "node:fs";
import path from "node:path";
import { isInside } from "@gantry/sdk/node";
import { namesIn } from "./folders.ts";

/** Settings that are longer are not read: a person does not write such. */
const MAX_BYTES = 1_048_576;

/** A line, also behind its section's name, as git reads it: in any case, quoted or not, with a remark behind it. */
const SETTING = /(?:^|\])[\t ]*(hookspath|path|worktree)[\t ]*=[\t ]*(?:"([^"\n]*)"|([^\n#;]*))/gim;

/**
 * Files and folders of a workspace that git follows from the settings of a repository, relative to the workspace: its folder
 * of hooks, wherever `core.hooksPath` puts it in each working tree, and what the settings include.
 * @param root - the workspace; @param folder - the repository's own folder, `.git` for most
 */
export function gitFollows(root: string, folder: string): readonly string[] {
  const settings = ["config", "config.worktree"].flatMap((name) => read(path.join(folder, name)));
  const named = (key: string): readonly string[] =>
    settings.filter(([name]) => name === key).map(([, value]) => value);
  const trees = [
    ...(path.basename(folder) === ".git" ? [path.dirname(folder)] : [folder]),
    ...named("worktree").map((one) => path.resolve(folder, one)),
    ...further(folder),
  ];
  const hooks = named("hookspath").flatMap((one) => trees.map((tree) => path.resolve(tree, one)));
  const included = named("path").map((one) => path.resolve(folder, one));
  return [...hooks, ...included]
    .filter((one) => one !== root && isInside(one, root) && !trees.includes(one))
    .map((one) => path.relative(root, one));
}

function read(file: string): readonly (readonly [key: string, value: string])[] {
  const text = textOf(file);
  if (text.length > MAX_BYTES) return [];
  return [...text.matchAll(SETTING)].map((found) => [
    found[1]!.toLowerCase(),
    (found[2] ?? found[3] ?? "").trim(),
  ]);
}

/** The folders of further working trees, which have a file `.git` each. */
function further(folder: string): readonly string[] {
  const kept = path.join(folder, "worktrees");
  return namesIn(kept)
    .map((name) => textOf(path.join(kept, name, "gitdir")).trim())
    .filter((pointer) => pointer !== "")
    .map((pointer) => path.dirname(path.resolve(folder, pointer)));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
