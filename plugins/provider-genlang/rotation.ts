import { GantryError } from "@gantry/sdk";
import { failure, thrownFailure } from "@gantry/sdk/provider";
import type { Logger, ProviderFailure } from "@gantry/sdk";
import { oauthTarget } from "./ask.ts";
import type { Asker, Opened } from "./ask.ts";
import type { Body } from "./body.ts";
import { NAME } from "./config.ts";
import type { GenlangConfig } from "./config.ts";
import type { Projects } from "./project.ts";
import type { TokenSource } from "./refresh.ts";
import type { Account } from "./tokens.ts";

export interface OAuthDeps {
  readonly config: GenlangConfig;
  readonly asker: Asker;
  readonly tokens: TokenSource;
  readonly projects: Projects;
  readonly log: Logger;
}

export interface Asked {
  readonly model: string;
  readonly body: Body;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Asks with one account after the other; the one that last served is asked first. Never throws. */
export function createRotation(
  deps: OAuthDeps,
): (accounts: readonly Account[], asked: Asked) => Promise<Opened> {
  let current: string | undefined;
  return async (accounts, asked) => {
    const start = Math.max(
      0,
      accounts.findIndex(({ id }) => id === current),
    );
    let first: Opened | undefined;
    for (let turn = 0; turn < accounts.length; turn++) {
      const account = accounts[(start + turn) % accounts.length] as Account;
      const opened = await askWith(deps, account, turn > 0, asked);
      if (opened.ok) {
        current = account.id;
        return opened;
      }
      first ??= opened;
      if (asked.signal.aborted || (turn === 0 && !rotates(opened.failure))) return opened;
      const next = turn + 1 < accounts.length ? "trying the next credentials" : "there are no others";
      deps.log.warn(
        { account: account.id, code: opened.failure.code },
        `genlang does not answer with ${account.id}; ${next}.`,
      );
    }
    return first ?? refusal(asked, new Error("no account"));
  };
}

/** A rate limit, a server error, or credentials that cannot be used. */
function rotates({ status = 0, code }: ProviderFailure): boolean {
  return status === 429 || status >= 500 || code.startsWith("GENLANG_");
}

async function askWith(deps: OAuthDeps, account: Account, rotated: boolean, asked: Asked): Promise<Opened> {
  try {
    const opened = await send(deps, account, rotated, asked);
    const stale = !opened.ok && opened.failure.status === 401 && !rotated;
    return stale ? await send(deps, account, true, asked) : opened;
  } catch (error) {
    return refusal(asked, error);
  }
}

async function send(
  deps: OAuthDeps,
  account: Account,
  renew: boolean,
  { model, body, timeoutMs, signal }: Asked,
): Promise<Opened> {
  const tokens = await deps.tokens(account, renew, signal);
  const project = await deps.projects.of(account, tokens, signal);
  const target = oauthTarget(deps.config, model, tokens.accessToken, project);
  const opened = await deps.asker.send(target, body, model, timeoutMs, signal);
  if (opened.ok) return opened;
  if (opened.failure.status === 400 && /generation_?config/i.test(opened.body)) {
    const { generationConfig: _, ...plain } = body;
    return deps.asker.send(target, plain, model, timeoutMs, signal);
  }
  if (opened.failure.status === 403) await deps.projects.forget(tokens);
  return opened;
}

/** Unusable credentials count as HTTP 401: not tried again here, but worth a try elsewhere. */
export function asFailure(error: unknown, signal: AbortSignal, timeoutMs: number): ProviderFailure {
  if (error instanceof GantryError && error.code.startsWith("GENLANG_"))
    return failure(error, true, { status: 401 });
  return thrownFailure(NAME, error, signal, timeoutMs / 1000);
}

function refusal({ signal, timeoutMs }: Asked, error: unknown): Opened {
  return { ok: false, failure: asFailure(error, signal, timeoutMs), body: "" };
}
