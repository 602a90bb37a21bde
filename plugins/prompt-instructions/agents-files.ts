import { lstatSync } from "node:fs";
import path from "node:path";
import type { Logger, PromptScene } from "@gantry/sdk";
import type { SandboxedFiles } from "@gantry/sdk/fill";
import { plainFileBytes } from "../shared/plain-file.ts";
import type { OwnedFolders } from "../shared/owned-folders.ts";

const NAME = "AGENTS.md";
/** Bytes of one file that are read. */
const MOST = 32 * 1024;

interface Known {
  readonly stamp: string;
  readonly text: string;
}

/** The text of the files, and the folders among theirs that are not the owner's. */
export interface AgentsTexts {
  readonly text: string | undefined;
  readonly foreign: readonly string[];
}

/**
 * Reads AGENTS.md of the folder that is worked in and of those above it, up to the outermost that
 * the owner has named (the configured workspace, or a trusted folder), the nearest last. That of
 * the folder itself comes through the sandbox, so that what a tool may not read is not read here;
 * those above lie beyond its walls, and only plain files count there. One that has not changed is
 * read once.
 */
export function agentsFiles(
  files: () => SandboxedFiles | undefined,
  trust: OwnedFolders,
  log: Logger,
): (workspace: string, signal: AbortSignal) => Promise<AgentsTexts> {
  const known = new Map<string, Known>();
  const textOf = async (file: string, isAbove: boolean, signal: AbortSignal): Promise<string> => {
    const stamp = stampOf(file);
    const reader = files();
    if (stamp === undefined || !reader) return "";
    const before = known.get(file);
    if (before?.stamp === stamp) return before.text;
    try {
      const { data, bytes } = isAbove ? plain(file) : await reader.read(file, MOST, signal);
      const cut = bytes > data.length ? `\n[cut: ${bytes - data.length} more bytes]` : "";
      const text = `Instructions for this workspace, from ${file}:\n${new TextDecoder().decode(data).trim()}${cut}`;
      known.set(file, { stamp, text });
      return text;
    } catch (error) {
      log.warn({ file, err: error }, `${file} is not shown to the model: ${(error as Error).message}`);
      known.set(file, { stamp, text: "" });
      return "";
    }
  };
  return async (workspace, signal) => {
    const texts: string[] = [];
    const foreign: string[] = [];
    for (const folder of downTo(workspace, await trust.rootOf(workspace))) {
      const text = await textOf(path.join(folder, NAME), folder !== workspace, signal);
      if (text === "") continue;
      texts.push(text);
      if (!(await trust.isTrusted(folder))) foreign.push(folder);
    }
    return { text: texts.length > 0 ? texts.join("\n\n") : undefined, foreign };
  };
}

/**
 * Looks once for each request, so that what is said to come from outside is of the very text that
 * is shown.
 */
export function oncePerScene(
  look: (workspace: string, signal: AbortSignal) => Promise<AgentsTexts>,
  signal: AbortSignal,
): (scene: PromptScene) => Promise<AgentsTexts> {
  const looks = new WeakMap<PromptScene, Promise<AgentsTexts>>();
  return (scene) => {
    const known = looks.get(scene) ?? look(scene.workspace, signal);
    looks.set(scene, known);
    return known;
  };
}

/** The folders from `root` to `folder`, which lies in it. */
function downTo(folder: string, root: string): readonly string[] {
  const found = [folder];
  for (let at = folder; at !== root; found.unshift(at)) at = path.dirname(at);
  return found;
}

function plain(file: string): { readonly data: Uint8Array; readonly bytes: number } {
  const data = plainFileBytes(file, MOST);
  if (!data) throw new Error("it is no plain file that this user may read");
  return { data, bytes: lstatSync(file).size };
}

/** Says whether the file is there, and changes with it. */
function stampOf(file: string): string | undefined {
  try {
    const facts = lstatSync(file);
    return `${facts.mtimeMs} ${facts.size} ${facts.ino}`;
  } catch {
    return undefined;
  }
}
