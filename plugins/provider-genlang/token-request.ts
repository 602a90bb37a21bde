import { answerFailure, excerpt, ProviderError } from "@gantry/sdk/provider";
import type { Upstream } from "@gantry/sdk";
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

/** One refresh at the token server. Throws `GENLANG_REFRESH_FAILED`, a `ProviderError` where the server is in trouble, and `NET_*`. */
export async function requestTokens(deps: RequestDeps, account: Account, tokens: Tokens): Promise<Refreshed> {
  const client = clientFor(deps.config, tokens);
  if (!client)
    throw errors.GENLANG_REFRESH_FAILED(
      account.id,
      "the file does not say which OAuth client it belongs to",
      cureFor(account),
    );
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
    throw errors.GENLANG_REFRESH_FAILED(account.id, why, cureFor(account));
  }
  const seconds = Number(answer["expires_in"] ?? Number.NaN);
  const rotated = answer["refresh_token"];
  return {
    accessToken,
    refreshToken: typeof rotated === "string" && rotated !== "" ? rotated : tokens.refreshToken,
    expires: Number.isFinite(seconds) ? Date.now() + seconds * 1000 : undefined,
  };
}

/** A secret belongs to its client: the owner's is sent only where the tokens are that client's, or nobody's. */
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

/** How the person gets new tokens for an account. */
export function cureFor(account: Account): string {
  return account.source === "auth-profiles"
    ? "`gantry auth login --provider genlang`"
    : "the vendor CLI (`gemini`) and log in again";
}
