import type { Store } from "@gantry/sdk";
import { getSealed, putSealed } from "../shared/sealed-value.ts";
import type { Tokens } from "./tokens.ts";

const SPACE = "genlang-token";

/**
 * The tokens that a refresh gave for a file that is not ours; the store never holds them in the
 * clear.
 */
export type Refreshed = Pick<Tokens, "accessToken" | "refreshToken" | "expires">;

/** Sealed with the refresh token that it came from: who can open it could have fetched it. */
export async function putRefreshed(store: Store, refreshToken: string, value: Refreshed): Promise<void> {
  const life = value.expires === undefined ? {} : { forMs: value.expires - Date.now() };
  await putSealed(store, SPACE, refreshToken, value, life);
}

export function getRefreshed(store: Store, refreshToken: string): Promise<Refreshed | undefined> {
  return getSealed<Refreshed>(store, SPACE, refreshToken);
}
