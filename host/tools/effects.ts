import { createHash } from "node:crypto";
import path from "node:path";
import { wrongEffects, type EffectsContext } from "@gantry/sdk/fill";
import type { Effects, PathUse, StatedEffects, Tool } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { deepFreeze, expandHome, followLinks } from "@gantry/sdk/node";

/** Asks the tool what a call touches; resolves paths in the workspace. Throws as the tool does. */
export async function effectsOf(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  context: EffectsContext,
): Promise<Effects> {
  const stated = (await tool.effects?.(args, Object.freeze(context))) ?? {};
  return resolveEffects(tool, stated, context.cwd);
}

/** Paths are resolved against `cwd`, the resolved workspace. */
export async function resolveEffects(
  { name }: Tool,
  stated: StatedEffects | "unknown",
  cwd: string,
): Promise<Effects> {
  const wrong = wrongEffects(stated);
  if (wrong !== undefined) throw errors.TOOL_BAD_EFFECTS(name, wrong);
  const unknown = stated === "unknown";
  const known: StatedEffects = unknown ? {} : stated;
  const paths: PathUse[] = [];
  for (const use of known.paths ?? [])
    paths.push({
      path: use.path,
      access: use.access,
      resolved: await resolvePath(cwd, use.path),
    });
  const { brings: { material = [], private: own = [] } = {}, target } = known;
  return deepFreeze({
    paths,
    commands: [...(known.commands ?? [])],
    urls: [...(known.urls ?? [])],
    recipients: [...(known.recipients ?? [])],
    brings: { material: [...material], private: [...own] },
    ...(target && { target: { shown: target.shown, digest: target.digest } }),
    unknown,
  });
}

/** Makes a path absolute, links followed as far as it exists; `~` is the home directory. */
export async function resolvePath(cwd: string, written: string): Promise<string> {
  return followLinks(path.resolve(cwd, expandHome(written)));
}

/** One word for one exact call: tool, arguments, working directory, resolved paths and target. */
export function digestOf(tool: string, args: unknown, cwd: string, effects: Effects): string {
  return digestOfValue([tool, args, cwd, effects]);
}

/** Returns one word for one value, whatever the order of its keys. */
export function digestOfValue(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted(value)))
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
