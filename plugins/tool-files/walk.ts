import path from "node:path";
import type { SandboxedFiles } from "@gantry/sdk";
import { IgnoreRules } from "./ignore-rules.ts";

const MAX_ENTRIES = 100_000;

export interface Walk {
  readonly files: SandboxedFiles;
  /** Where to begin: a folder, or one file. */
  readonly root: string;
  readonly workspace: string;
  readonly signal: AbortSignal;
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
 * Every file beneath a folder, by name. Links are not followed; hidden files and what ignore files leave out are not visited,
 * unless the walk begins there. Throws where the root cannot be read.
 */
export async function* walk(options: Walk): AsyncGenerator<WalkedFile, void> {
  const { files, root, signal } = options;
  const waiting: Waiting[] = [];
  const open = async (folder: string, above: IgnoreRules | undefined): Promise<void> => {
    const { entries } = await files.list(folder, MAX_ENTRIES, signal);
    const names = new Set(entries.map(({ name }) => name));
    const rules = await IgnoreRules.read(files, folder, signal, above, names);
    for (const { name, kind, bytes } of entries.toReversed()) {
      const at = path.join(folder, name);
      const isFolder = kind === "directory";
      if (name.startsWith(".") || !(isFolder || kind === "file") || rules?.ignores(at, isFolder)) continue;
      waiting.push({ path: at, bytes, isFolder, rules: isFolder ? rules?.within(at) : undefined });
    }
  };

  await open(root, await rulesAbove(options));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    signal.throwIfAborted();
    if (!next.isFolder) yield next;
    else await open(next.path, next.rules).catch(() => signal.throwIfAborted());
  }
}

/** What the folders between the workspace and the root say of what lies in the root. */
async function rulesAbove({ files, root, workspace, signal }: Walk): Promise<IgnoreRules | undefined> {
  const relative = path.relative(workspace, root);
  if (relative === "" || relative.startsWith("..")) return undefined;
  let rules: IgnoreRules | undefined;
  let folder = workspace;
  for (const name of relative.split(path.sep)) {
    rules = await IgnoreRules.read(files, folder, signal, rules);
    folder = path.join(folder, name);
  }
  return rules?.within(root);
}
