import path from "node:path";
import type { SandboxedFiles, ToolRun } from "@gantry/sdk";
import { type FileOptions, checkedPath } from "./files.ts";
import { globTest } from "./glob.ts";
import { shownPath } from "./place.ts";
import { Spent } from "./spent.ts";
import { walk } from "./walk.ts";

export interface FindOptions extends FileOptions {
  readonly files: SandboxedFiles;
  readonly glob: string;
  readonly limit: number;
}

/** The files whose names fit, a line each. */
export async function find(
  { files, glob, limit, ...options }: FindOptions,
  { effects, cwd, signal }: Pick<ToolRun<unknown>, "effects" | "cwd" | "signal">,
): Promise<string> {
  const fits = await globTest(glob);
  const root = checkedPath(effects);
  const spent = new Spent(options);
  const found: string[] = [];
  for await (const file of walk({ files, root, workspace: cwd, signal })) {
    if (spent.time) break;
    if (!fits(path.relative(root, file.path)) && !fits(path.relative(cwd, file.path))) continue;
    const shown = shownPath(file.path, cwd);
    if (found.length === limit || !spent.takes(shown)) {
      spent.cut = true;
      break;
    }
    found.push(shown);
  }
  const notes = spent.notes(`the first ${found.length} files`, "the pattern or the path");
  if (found.length === 0) return `[no file fits${notes.map((note) => `; ${note}`).join("")}]`;
  return [...found, ...notes.map((note) => `[${note}]`)].join("\n");
}
