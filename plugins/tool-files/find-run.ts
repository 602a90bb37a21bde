import type { SandboxedFiles } from "@gantry/sdk/fill";
import type { ToolRun } from "@gantry/sdk";
import { type FileOptions, checkedPath } from "./files.ts";
import { globTest } from "./glob.ts";
import { shownPath } from "./place.ts";
import { Spent } from "./spent.ts";
import { unheededNotes, walk } from "./walk.ts";

export interface FindOptions extends FileOptions {
  readonly files: SandboxedFiles;
  readonly glob: string;
  readonly limit: number;
}

/** The files whose names fit, a line each. */
export async function find(
  { files, limit, ...options }: FindOptions,
  { effects, cwd, signal }: Pick<ToolRun<unknown>, "effects" | "cwd" | "signal">,
): Promise<string> {
  const glob = await globTest(options.glob);
  const unheeded = new Set<string>();
  const walked = { files, root: checkedPath(effects), workspace: cwd, signal, unheeded, glob };
  const spent = new Spent(options);
  const found: string[] = [];
  for await (const file of walk(walked)) {
    if (spent.time) break;
    const shown = shownPath(file.path, cwd);
    if (found.length === limit || !spent.takes(shown)) {
      spent.cut = true;
      break;
    }
    found.push(shown);
  }
  const notes = [
    ...spent.notes(`the first ${found.length} files`, "the pattern or the path"),
    ...unheededNotes(walked),
  ];
  if (found.length === 0) return `[no file fits${notes.map((note) => `; ${note}`).join("")}]`;
  return [...found, ...notes.map((note) => `[${note}]`)].join("\n");
}
