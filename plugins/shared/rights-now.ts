import type { Standing, Trust } from "@gantry/sdk";

/** The people who may write, by door; undefined if no door tells. */
export type Doors = ReadonlyMap<string, Standing> | undefined;

/** The trust that work goes on with, or why it must not. */
export type RightsNow = { readonly trust: Trust } | { readonly lost: string };

const rank: Readonly<Record<Trust, number>> = { guest: 0, member: 1, owner: 2 };
const deviceForm = /^d[0-9a-f]{12}$/;

/**
 * Looks up what `<channel>:<user id>` may now, for work that goes on after its message: each step
 * of it asks. `began` is the trust that it began with, or undefined if it has whatever its person
 * has. A door that tells nothing, such as the terminal, leaves what there was.
 */
export async function rightsNow(doors: Doors, user: string, began: Trust | undefined): Promise<RightsNow> {
  const at = user.indexOf(":");
  const id = user.slice(at + 1);
  const door = doors?.get(user.slice(0, at)) ?? (deviceForm.test(id) ? doors?.get("devices") : undefined);
  if (!door) return { trust: began ?? "owner" };
  const now = await door.trust(id);
  if (now === undefined) return { lost: `${user} may not write here any more.` };
  if (began !== undefined && rank[now] < rank[began])
    return { lost: `${user} is not ${began === "owner" ? "an owner" : `a ${began}`} any more.` };
  return { trust: now };
}
