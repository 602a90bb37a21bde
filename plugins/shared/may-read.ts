import type { RouteRequest } from "@gantry/sdk";
import type { Sessions } from "@gantry/sdk/fill";

/** Returns the person behind a request, as their turns over HTTP know them. */
export function personOf({ device = "local" }: Pick<RouteRequest, "device">): string {
  return `http:${device}`;
}

/** True if who asks may see all sessions: their token says so, or none is needed. */
export function maySeeAll({ caller }: Pick<RouteRequest, "caller">): boolean {
  return caller === undefined || caller.may.includes("read");
}

/**
 * True if who asks may read a session: their own, one that is shared with them, or any with the
 * scope `read`.
 */
export async function mayRead(
  sessions: Pick<Sessions, "access">,
  session: string,
  request: Pick<RouteRequest, "caller" | "device">,
): Promise<boolean> {
  const access = await sessions.access(session);
  if (!access || maySeeAll(request)) return access !== undefined;
  const user = personOf(request);
  return access.owner === user || access.sharedWith.includes(user);
}
