import type { Standing, Trust } from "@gantry/sdk";

/** The people who may write, by door; undefined if no door tells. */
export type Doors = ReadonlyMap<string, Standing> | undefined;

/** The trust that work goes on with, or why it must not. */
export type RightsNow = { readonly trust: Trust } | { readonly lost: string };

const rank: Readonly<Record<Trust, number>> = { guest: 0, member: 1, owner: 2 };
/** The doors at which only the owner of this machine stands: nobody there can lose a right. */
const ownDoors = /^(?:(?:acp|cli|jobs):|mcp:stdio$)/;
/** The doors whose people are paired devices, or `local` where none needs to be paired. */
const deviceDoors: ReadonlySet<string> = new Set(["http", "mcp", "openai"]);

/**
 * Looks up what `<channel>:<user id>` may now, for work that goes on after its message: each step
 * of it asks. `began` is the trust that it began with, beyond which it never goes, or undefined if
 * it has whatever its person has. Nobody of a door that no plugin knows may do anything.
 */
export async function rightsNow(doors: Doors, user: string, began: Trust | undefined): Promise<RightsNow> {
  if (ownDoors.test(user)) return { trust: began ?? "owner" };
  const at = user.indexOf(":");
  const channel = user.slice(0, Math.max(at, 0));
  const door = doors?.get(deviceDoors.has(channel) ? "devices" : channel);
  const now = channel === "devices" ? undefined : await door?.trust(user.slice(at + 1));
  if (now === undefined) return { lost: `${user} may not write here any more.` };
  if (began !== undefined && rank[now] < rank[began])
    return { lost: `${user} is not ${began === "owner" ? "an owner" : `a ${began}`} any more.` };
  return { trust: began ?? now };
}
