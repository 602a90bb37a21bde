import type { StatedManifest } from "@gantry/sdk/node";

const keys = ["needs", "provides", "taps", "enforces"] as const;

/**
 * Reads the requests of a plugin that its package.json states under `gantry`: shown before any of
 * its code runs. Undefined if nothing, or something else than lists of names, is stated.
 */
export function readStated(value: unknown): StatedManifest | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { needs = [], provides = [], taps = [], enforces = [] } = value as Record<string, unknown>;
  const lists = [needs, provides, taps, enforces];
  const right = lists.every(
    (list) =>
      Array.isArray(list) && list.every((name) => typeof name === "string" && /^[\w.-]{1,64}$/.test(name)),
  );
  return right ? ({ needs, provides, taps, enforces } as unknown as StatedManifest) : undefined;
}

/** Returns the requests that were not accepted before. */
export function widened(before: StatedManifest, now: StatedManifest): readonly string[] {
  return keys.flatMap((key) =>
    (now[key] ?? []).filter((name) => !(before[key] ?? []).includes(name)).map((name) => `${key} ${name}`),
  );
}

export function linesOf(manifest: StatedManifest): readonly string[] {
  return keys.map((key) => `  ${key.padEnd(8)} ${manifest[key]?.join(", ") || "-"}`);
}
