import { existsSync, lstatSync } from "node:fs";
import path from "node:path";
import type { Logger, SandboxedFiles } from "@gantry/sdk";

const NAME = "AGENTS.md";
/** Bytes of one file that are read. */
const MOST = 32 * 1024;

interface Known {
  readonly stamp: string;
  readonly text: string;
}

/**
 * Reads AGENTS.md of the workspace and of the directories above it, up to the root of its repository, the nearest last.
 * Files come through the sandbox, so what a tool may not read is not read here; one that has not changed is read once.
 */
export function agentsFiles(
  files: () => SandboxedFiles | undefined,
  log: Logger,
): (workspace: string, signal: AbortSignal) => Promise<string | undefined> {
  const known = new Map<string, Known>();
  const textOf = async (file: string, signal: AbortSignal): Promise<string | undefined> => {
    const stamp = stampOf(file);
    const reader = files();
    if (stamp === undefined || !reader) return undefined;
    const before = known.get(file);
    if (before?.stamp === stamp) return before.text;
    try {
      const { data, bytes } = await reader.read(file, MOST, signal);
      const cut = bytes > data.length ? `\n[cut: ${bytes - data.length} more bytes]` : "";
      const text = `Instructions for this workspace, from ${file}:\n${new TextDecoder().decode(data).trim()}${cut}`;
      known.set(file, { stamp, text });
      return text;
    } catch (error) {
      log.warn({ file, err: error }, `${file} is not shown to the model: ${(error as Error).message}`);
      known.set(file, { stamp, text: "" });
      return undefined;
    }
  };
  return async (workspace, signal) => {
    const texts: string[] = [];
    for (const directory of directoriesOf(workspace)) {
      const text = await textOf(path.join(directory, NAME), signal);
      if (text) texts.push(text);
    }
    return texts.length > 0 ? texts.join("\n\n") : undefined;
  };
}

/** From the root of the repository down to the workspace; the workspace alone where it is in none. */
function directoriesOf(workspace: string): readonly string[] {
  const found: string[] = [];
  for (let at = workspace; ; at = path.dirname(at)) {
    found.unshift(at);
    if (existsSync(path.join(at, ".git"))) return found;
    if (path.dirname(at) === at) return [workspace];
  }
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
