import { answerFailure, excerpt, ProviderError } from "@gantry/sdk/provider";
import type { GantryError, Upstream } from "@gantry/sdk";
import { ownClient } from "./config.ts";
import type { GenlangConfig, OAuthClient } from "./config.ts";
import { errors } from "./errors.ts";
import type { Refreshed } from "./sealed-cache.ts";
import type { Account, Tokens } from "./tokens.ts";

const CONNECT_MS = 10_000;
const ANSWER_MS = 20_000;

interface RequestDeps {
  readonly config: GenlangConfig;
  readonly upstream: Upstream;
  readonly signal: AbortSignal;
}

/**
 * One refresh at the token server. Throws `GENLANG_REFRESH_FAILED`, a `ProviderError` where the
 * server is in trouble, and `NET_*`.
 */
export async function requestTokens(deps: RequestDeps, account: Account, tokens: Tokens): Promise<Refreshed> {
  const client = clientFor(deps.config, tokens);
  if (!client) throw clientless(account);
  const secrets = [tokens.refreshToken, tokens.accessToken, client.secret].filter(
    (secret) => secret !== undefined,
  );
  const form = new URLSearchParams({
    grant_type: "refresh_token",
    refresh_token: tokens.refreshToken ?? "",
    client_id: client.id,
  });
  if (client.secret !== undefined) form.set("client_secret", client.secret);
  const response = await deps.upstream.fetch({
    url: deps.config.endpoints.oauth_token_url,
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
    body: form.toString(),
    signal: deps.signal,
    connectTimeoutMs: CONNECT_MS,
    timeoutMs: ANSWER_MS,
    maxBytes: 1024 * 1024,
  });
  const text = await response.text();
  if (response.status === 429 || response.status >= 500) {
    const facts = {
      provider: "The OAuth server of genlang",
      model: undefined,
      status: response.status,
      body: text,
      secrets,
    };
    throw new ProviderError(answerFailure({ ...facts, retryAfter: response.headers.get("retry-after") }));
  }
  const answer = parse(text);
  const accessToken = answer["access_token"];
  if (response.status !== 200 || typeof accessToken !== "string" || accessToken === "") {
    const reason = [answer["error"], answer["error_description"]]
      .filter((word) => typeof word === "string")
      .join(": ");
    const why =
      response.status === 200
        ? "the answer holds no access_token"
        : `HTTP ${response.status}, ${excerpt(reason || text, secrets)}`;
    throw errors.GENLANG_REFRESH_FAILED(account.id, why, cureFor(account, client.secret === undefined));
  }
  const seconds = Number(answer["expires_in"] ?? Number.NaN);
  const rotated = answer["refresh_token"];
  return {
    accessToken,
    refreshToken: typeof rotated === "string" && rotated !== "" ? rotated : tokens.refreshToken,
    expires: Number.isFinite(seconds) ? Date.now() + seconds * 1000 : undefined,
  };
}

/**
 * A secret belongs to its client: the owner's is sent only if the tokens are that client's, or
 * nobody's.
 */
function clientFor(config: GenlangConfig, tokens: Tokens): OAuthClient | undefined {
  const own = ownClient(config);
  if (tokens.clientId === undefined) return own;
  return {
    id: tokens.clientId,
    secret: tokens.clientSecret ?? (own?.id === tokens.clientId ? own.secret : undefined),
  };
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/**
 * Returns why a token that has ended cannot be renewed here; undefined if a renewal can be tried.
 */
export function unrenewable(
  config: GenlangConfig,
  account: Account,
  tokens: Tokens,
): GantryError | undefined {
  if (tokens.expires === undefined || tokens.expires > Date.now()) return undefined;
  if (!tokens.refreshToken)
    return errors.GENLANG_EXPIRED(account.id, "it has no refresh_token", cureFor(account));
  return clientFor(config, tokens) ? undefined : clientless(account);
}

function clientless(account: Account): GantryError {
  const why = "the file does not say which OAuth client it belongs to";
  return errors.GENLANG_REFRESH_FAILED(account.id, why, cureFor(account, true));
}

/**
 * Returns how the person gets new tokens; `lacks` is true if the client, or its secret, is not
 * known.
 */
export function cureFor(account: Account, lacks: boolean = false): string {
  if (account.source === "auth-profiles") return "`gantry auth login --provider genlang`";
  const again = "the vendor CLI (`gemini`)";
  if (!lacks) return `${again} and log in again`;
  return (
    `${again} once, which renews it, or set oauth_client_id and oauth_client_secret ` +
    "in [plugins_config.provider-genlang] to those of its OAuth client"
  );
}
