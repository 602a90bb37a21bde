import { createHash } from "node:crypto";
import { readlink, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import type { Effects, PathUse, Tool } from "@gantry/sdk";
import { deepFreeze } from "./audit.ts";

/** As the kernel does. */
const maxLinks = 40;

/** Asks the tool what this call will touch and resolves its paths against the workspace; throws what the tool throws. */
export async function effectsOf(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  cwd: string,
): Promise<Effects> {
  const { paths = [], commands = [], urls = [] } = tool.effects?.(args) ?? {};
  const resolved: PathUse[] = [];
  for (const use of paths)
    resolved.push({ path: use.path, access: use.access, resolved: await resolvePath(cwd, use.path) });
  return deepFreeze({ paths: resolved, commands: [...commands], urls: [...urls] });
}

/** Absolute, with links followed as far as the path exists; `~` is the home directory, as a person means it. */
export async function resolvePath(cwd: string, written: string): Promise<string> {
  const home = written === "~" || written.startsWith("~/") ? path.join(homedir(), written.slice(1)) : written;
  return realpathOf(path.resolve(cwd, home));
}

/** A link that leads nowhere yet is followed too: what is written through it lands at its target. */
async function realpathOf(absolute: string, hops: number = 0): Promise<string> {
  const rest: string[] = [];
  for (let at = absolute; ; at = path.dirname(at)) {
    try {
      return path.join(await realpath(at), ...rest);
    } catch (error) {
      if (
        path.dirname(at) === at ||
        !["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")
      )
        return absolute;
      const target = await readlink(at).catch(() => undefined);
      if (target !== undefined && hops < maxLinks)
        return realpathOf(path.join(path.resolve(path.dirname(at), target), ...rest), hops + 1);
      rest.unshift(path.basename(at));
    }
  }
}

/** One word for one exact call: tool, arguments, working directory and resolved paths. */
export function digestOf(tool: string, args: unknown, cwd: string, effects: Effects): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted([tool, args, cwd, effects])))
    .digest("hex");
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}
