import type { Store } from "@gantry/sdk";
import type { StoredOAuthTokens } from "@modelcontextprotocol/client";
import { getSealed, putSealed } from "../shared/sealed-value.ts";
import { withLock } from "../shared/store-lock.ts";

const space = "mcp-login";
/** A node that was away for longer has to log in again. */
const keptMs = 90 * 86_400_000;
/** Refreshes that a node may have missed. */
const mostSteps = 5_000;

interface Given {
  readonly tokens: StoredOAuthTokens;
  /** Unix ms. */
  readonly at: number;
}

/**
 * The tokens that refreshes gave, for the other nodes: each sealed by the refresh token that it
 * came from, so that who can open it could have fetched it.
 */
export class RefreshedLogins {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Runs `work` for a server in one process at a time, on whatever node. */
  alone<T>(server: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return withLock(this.#store, { space: `${space}-lock`, key: server }, signal, work);
  }

  /** Keeps what came of a refresh; processes of one machine have it by the file. */
  async keep(refreshToken: string, tokens: StoredOAuthTokens): Promise<void> {
    if (this.#store.node === undefined) return;
    const given: Given = { tokens, at: Date.now() };
    await putSealed(this.#store, space, refreshToken, given, { forMs: keptMs });
  }

  /** Returns the newest tokens that other nodes got, and if they may not have ended yet. */
  async newest(
    refreshToken: string | undefined,
  ): Promise<{ readonly tokens: StoredOAuthTokens; readonly isFresh: boolean } | undefined> {
    if (this.#store.node === undefined) return undefined;
    let last: Given | undefined;
    let by = refreshToken;
    for (let step = 0; by !== undefined && step < mostSteps; step += 1) {
      const found: Given | undefined = await getSealed(this.#store, space, by);
      if (found) last = found;
      by = found?.tokens.refresh_token === by ? undefined : found?.tokens.refresh_token;
    }
    if (!last) return undefined;
    const { expires_in } = last.tokens;
    const isFresh = expires_in === undefined || Date.now() < last.at + expires_in * 1_000;
    return { tokens: last.tokens, isFresh };
  }
}
