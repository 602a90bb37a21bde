import type { AuthorizationServer } from "oauth4webapi";
import { GantryError } from "@gantry/sdk";
import { excerpt } from "@gantry/sdk/provider";
import type { Loopback } from "@gantry/sdk/fill";
import type { Upstream } from "@gantry/sdk";
import type { Profile } from "./auth-profiles.ts";
import { NAME, ownClient } from "./config.ts";
import type { GenlangConfig, OAuthClient } from "./config.ts";
import { errors } from "./errors.ts";
import { readClaims } from "./tokens.ts";
import { vendorAccounts } from "./vendor-files.ts";

const PATH = "/oauth2callback";
/**
 * Browsers refuse this port without connecting, so the code stays in the address bar and goes to no
 * one.
 */
const NOWHERE = `http://127.0.0.1:1${PATH}`;
const SCOPES = ["cloud-platform", "userinfo.email", "userinfo.profile"].map(
  (scope) => `https://www.googleapis.com/auth/${scope}`,
);
const TIME_MS = 5 * 60_000;

export interface LoginDeps {
  readonly config: GenlangConfig;
  readonly upstream: Upstream;
  /** Undefined: by pasting only. */
  readonly loopback: Loopback | undefined;
  /** Shows the address that the person opens. */
  show(address: string, paste: boolean): void;
  /** The address that the browser ended at, as the person pasted it. */
  pasted(signal: AbortSignal): Promise<string>;
}

/**
 * One login by authorization code with PKCE; the state that comes back must be ours. Throws coded
 * errors.
 */
export async function login(
  deps: LoginDeps,
  name: string,
  paste: boolean,
  cancel: AbortSignal,
): Promise<Profile> {
  const client = await clientFor(deps.config);
  const oauth = await import("oauth4webapi");
  const server = serverOf(deps.config);
  const signal = AbortSignal.any([cancel, AbortSignal.timeout(TIME_MS)]);
  if (!paste && !deps.loopback) throw errors.GENLANG_LOGIN_PASTE();
  const state = oauth.generateRandomState();
  // Anybody may ask for a page on loopback: without our state it is somebody else's visit and ends
  // nothing.
  const isOurs = (query: URLSearchParams): boolean => query.get("state") === state;
  const visit = paste ? undefined : await deps.loopback?.receiveOnce(PATH, isOurs, signal);
  try {
    const redirectUri = visit?.redirectUri ?? NOWHERE;
    const verifier = oauth.generateRandomCodeVerifier();
    deps.show(
      addressOf(server, client, redirectUri, state, await oauth.calculatePKCECodeChallenge(verifier)),
      paste,
    );
    const answer = visit ? await visit.wait() : readPasted(await deps.pasted(signal));
    const checked = oauth.validateAuthResponse(server, { client_id: client.id }, answer, state);
    const auth = client.secret === undefined ? oauth.None() : oauth.ClientSecretPost(client.secret);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      { client_id: client.id },
      auth,
      checked,
      redirectUri,
      verifier,
      {
        signal,
        [oauth.allowInsecureRequests]: true,
        [oauth.customFetch]: (url, init) => viaUpstream(deps.upstream, url, init, signal),
      },
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, { client_id: client.id }, response);
    return toProfile(name, client, tokens);
  } catch (error) {
    throw asLoginFailure(error, client, cancel, signal);
  } finally {
    await visit?.close();
  }
}

/** The owner's client, or the one that the vendor CLI's file names. */
async function clientFor(config: GenlangConfig): Promise<OAuthClient> {
  const own = ownClient(config);
  if (own) return own;
  for (const account of await vendorAccounts()) {
    const tokens = await account.read().catch(() => undefined);
    if (tokens?.clientId && tokens.clientSecret) return { id: tokens.clientId, secret: tokens.clientSecret };
  }
  throw errors.GENLANG_NO_CLIENT();
}

function serverOf({ endpoints }: GenlangConfig): AuthorizationServer {
  return {
    issuer: new URL(endpoints.oauth_authorize_url).origin,
    authorization_endpoint: endpoints.oauth_authorize_url,
    token_endpoint: endpoints.oauth_token_url,
  };
}

function addressOf(
  server: AuthorizationServer,
  client: OAuthClient,
  redirectUri: string,
  state: string,
  challenge: string,
): string {
  const url = new URL(server.authorization_endpoint ?? "");
  const query = {
    client_id: client.id,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: SCOPES.join(" "),
    state,
    code_challenge: challenge,
    code_challenge_method: "S256",
    access_type: "offline",
    prompt: "consent",
  };
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
  return url.href;
}

/** The whole address is wanted, since only with its state is the login known to be ours. */
function readPasted(text: string): URLSearchParams {
  const query = URL.parse(text.trim())?.searchParams ?? new URLSearchParams(text.trim().replace(/^\?/, ""));
  if (!query.has("state") || !(query.has("code") || query.has("error"))) {
    throw errors.GENLANG_LOGIN_FAILED("what was pasted is not the whole address with code and state");
  }
  return query;
}

async function viaUpstream(
  upstream: Upstream,
  url: string,
  init: { readonly method: string; readonly headers: Record<string, string>; readonly body?: unknown },
  signal: AbortSignal,
): Promise<Response> {
  const headers = Object.fromEntries(new Headers(init.headers));
  return upstream.fetch({
    url,
    method: init.method,
    headers,
    body: String(init.body ?? ""),
    signal,
    maxBytes: 1024 * 1024,
  });
}

function toProfile(
  name: string,
  client: OAuthClient,
  tokens: {
    readonly access_token: string;
    readonly refresh_token?: string;
    readonly expires_in?: number;
    readonly id_token?: string;
  },
): Profile {
  const { email } = tokens.id_token === undefined ? {} : readClaims(tokens.id_token);
  const now = new Date().toISOString();
  return {
    provider: NAME,
    name,
    access_token: tokens.access_token,
    ...(tokens.refresh_token !== undefined && { refresh_token: tokens.refresh_token }),
    client_id: client.id,
    ...(client.secret !== undefined && { client_secret: client.secret }),
    ...(tokens.expires_in !== undefined && { expiry_date: Date.now() + tokens.expires_in * 1000 }),
    ...(typeof email === "string" && { account: email }),
    created: now,
    updated: now,
  };
}

function asLoginFailure(
  error: unknown,
  client: OAuthClient,
  cancel: AbortSignal,
  signal: AbortSignal,
): GantryError {
  if (cancel.aborted) return errors.GENLANG_LOGIN_FAILED("it was cancelled");
  if (signal.aborted) return errors.GENLANG_LOGIN_FAILED(`nothing came back in ${TIME_MS / 60_000} minutes`);
  if (error instanceof GantryError) return error;
  const { error: word, error_description: detail, message } = (error ?? {}) as Record<string, unknown>;
  const why = [word, detail].filter((part) => typeof part === "string").join(": ");
  return errors.GENLANG_LOGIN_FAILED(
    excerpt(why || String(message ?? "unknown reason"), client.secret === undefined ? [] : [client.secret]),
  );
}
