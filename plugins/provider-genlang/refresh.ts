import { GantryError } from "@gantry/sdk";
import type { Logger, Store, Upstream } from "@gantry/sdk";
import { digest } from "../shared/sealed-value.ts";
import { withLock } from "../shared/store-lock.ts";
import type { GenlangConfig } from "./config.ts";
import { errors } from "./errors.ts";
import { getRefreshed, putRefreshed } from "./sealed-cache.ts";
import type { Refreshed } from "./sealed-cache.ts";
import { cureFor, requestTokens, unrenewable } from "./token-request.ts";
import { isFresh } from "./tokens.ts";
import type { Account, Tokens } from "./tokens.ts";

export interface RefreshDeps {
  readonly config: GenlangConfig;
  readonly upstream: Upstream;
  readonly store: Store | undefined;
  readonly log: Logger;
  /** Ends with the plugin; one turn's cancel does not stop a refresh that others wait for. */
  readonly signal: AbortSignal;
}

/**
 * Gives the tokens of an account with an access token that can be used now; `force` refreshes even
 * a fresh one.
 */
export type TokenSource = (
  account: Account,
  force: boolean,
  signal: AbortSignal,
) => Promise<Tokens & { readonly accessToken: string }>;

export function createTokenSource(deps: RefreshDeps): TokenSource {
  const running = new Map<string, Promise<Tokens>>();
  const kept = new Map<string, Refreshed>();

  const current = async (account: Account): Promise<Tokens> => {
    const file = await account.read();
    if (!file.refreshToken) return file;
    const name = digest(file.refreshToken);
    const later =
      kept.get(name) ??
      (account.save
        ? undefined
        : await quietly(deps, (store) => getRefreshed(store, file.refreshToken as string)));
    return later && (later.expires ?? 0) > (file.expires ?? 0) ? { ...file, ...later } : file;
  };
  const keep = async (account: Account, before: Tokens, refreshed: Refreshed): Promise<void> => {
    try {
      if (account.save) return await account.save({ ...before, ...refreshed });
    } catch (error) {
      deps.log.error(
        { err: error },
        `The refreshed token could not be written to ${account.id}; it is kept until the process ends.`,
      );
    }
    const { refreshToken = "" } = await account.read();
    kept.set(digest(refreshToken), refreshed);
    if (!account.save && refreshed.expires !== undefined)
      await quietly(deps, (store) => putRefreshed(store, refreshToken, refreshed));
  };
  const renew = (account: Account, seen: Tokens, force: boolean): Promise<Tokens> =>
    withLock(deps.store, { space: "genlang-lock", key: digest(account.id) }, deps.signal, async () => {
      const now = await current(account);
      if (isFresh(now) && (!force || now.accessToken !== seen.accessToken)) return now;
      const refreshed = await requestTokens(deps, account, now);
      await keep(account, now, refreshed);
      return { ...now, ...refreshed };
    });

  return async (account, force, signal) => {
    const seen = await current(account);
    if (!force && isFresh(seen)) return usable(account, seen);
    if (!seen.refreshToken) return usable(account, unrefreshed(deps.config, account, seen));
    const shared =
      running.get(account.id) ?? renew(account, seen, force).finally(() => running.delete(account.id));
    running.set(account.id, shared);
    try {
      return usable(account, await until(shared, signal));
    } catch (error) {
      if (force && isFresh(seen) && !signal.aborted) return usable(account, seen);
      throw error;
    }
  };
}

/** Without a refresh token, a token is used as long as it is not known to have ended. */
function unrefreshed(config: GenlangConfig, account: Account, tokens: Tokens): Tokens {
  const ended = unrenewable(config, account, tokens);
  if (ended) throw ended;
  return tokens;
}

function usable(account: Account, tokens: Tokens): Tokens & { readonly accessToken: string } {
  if (tokens.accessToken === undefined)
    throw errors.GENLANG_EXPIRED(account.id, "it has no access_token", cureFor(account));
  return { ...tokens, accessToken: tokens.accessToken };
}

async function quietly<T>(
  { store, log }: RefreshDeps,
  work: (store: Store) => Promise<T>,
): Promise<T | undefined> {
  try {
    return store && (await work(store));
  } catch (error) {
    log.warn(
      { code: error instanceof GantryError ? error.code : "INTERNAL" },
      "A refreshed token could not be shared with other processes.",
    );
    return undefined;
  }
}

function until<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason as Error);
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
