import { createHash } from "node:crypto";
import path from "node:path";
import type { Effects, PathUse, Tool } from "@gantry/sdk";
import { deepFreeze, expandHome, followLinks } from "@gantry/sdk/node";

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
  return followLinks(path.resolve(cwd, expandHome(written)));
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
