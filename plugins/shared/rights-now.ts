import type { People, Standing, Trust } from "@gantry/sdk";

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
 * it has whatever its person has. Where no door tells, nobody may do anything but those whom
 * `people` names at a channel that is loaded.
 */
export async function rightsNow(
  doors: Doors,
  user: string,
  began: Trust | undefined,
  people?: People,
): Promise<RightsNow> {
  if (ownDoors.test(user)) return { trust: began ?? "owner" };
  const at = user.indexOf(":");
  const channel = user.slice(0, Math.max(at, 0));
  const id = user.slice(at + 1);
  const door = doors?.get(deviceDoors.has(channel) ? "devices" : channel);
  const told = door ? await door.trust(id) : people?.roles(channel).get(id);
  const now = channel === "devices" ? undefined : told;
  if (now === undefined) return { lost: lostBy(user, door !== undefined || people === undefined) };
  if (began !== undefined && rank[now] < rank[began])
    return { lost: `${user} is not ${began === "owner" ? "an owner" : `a ${began}`} any more.` };
  return { trust: began ?? now };
}

function lostBy(user: string, isTold: boolean): string {
  if (isTold) return `${user} may not write here any more.`;
  return `No channel tells whether ${user} may still write: if theirs is loaded, name them in [people].`;
}
