import type { Net, Store } from "@gantry/sdk";
import {
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  type AuthProvider,
} from "@modelcontextprotocol/client";
import { printable } from "@gantry/sdk/node";
import { errors } from "./errors.ts";
import { LoginFile } from "./login-file.ts";
import { loginFetch } from "./login-fetch.ts";
import { LoginProvider } from "./login-provider.ts";
import { RefreshedLogins } from "./refreshed-logins.ts";
import { plainScopes } from "./scopes.ts";
import type { RemoteSettings } from "./settings.ts";

/** The model, too, reads which scopes a call lacked. */
const MAX_SHOWN = 200;

interface LoginWays {
  readonly net: Net;
  readonly store: Store;
}

type Refused = Parameters<NonNullable<AuthProvider["onUnauthorized"]>>[0];

/**
 * Identifies the owner to a server by the login there is. Nobody is asked: what needs a person
 * throws MCP_LOGIN.
 */
export class LoginAuth implements AuthProvider {
  readonly #settings: RemoteSettings;
  readonly #file: LoginFile;
  readonly #refreshed: RefreshedLogins;
  readonly #provider: LoginProvider;
  readonly #net: Net;
  readonly #signal: AbortSignal;
  #used: string | undefined;

  constructor(settings: RemoteSettings, file: LoginFile, { net, store }: LoginWays, signal: AbortSignal) {
    [this.#settings, this.#file, this.#net, this.#signal] = [settings, file, net, signal];
    this.#refreshed = new RefreshedLogins(store);
    this.#provider = new LoginProvider(settings, file, this.#refreshed);
  }

  async token(): Promise<string | undefined> {
    return (this.#used = (await this.#provider.tokens())?.access_token);
  }

  /**
   * Refreshes the tokens, unless another process or node has done so since. Throws MCP_LOGIN,
   * MCP_LOGIN_ISSUER.
   */
  async onUnauthorized({ response, serverUrl }: Refused): Promise<void> {
    const { resourceMetadataUrl, scope: asked } = extractWWWAuthenticateParams(response);
    const scope = plainScopes(asked);
    const metadata = resourceMetadataUrl && { metadata: resourceMetadataUrl.href };
    try {
      const refresh = () => this.#refresh(serverUrl, resourceMetadataUrl);
      await this.#refreshed.alone(this.#settings.name, this.#signal, refresh);
    } catch (error) {
      const challenge = { ...metadata, ...(scope !== undefined && { scope }) };
      await this.#file.write({ ...(await this.#file.read()), challenge });
      throw error;
    }
  }

  async #refresh(serverUrl: URL, resourceMetadataUrl: URL | undefined): Promise<void> {
    const { name } = this.#settings;
    const refuse = async (): Promise<never> => {
      throw errors.MCP_LOGIN(name, name);
    };
    if (this.#used === undefined) return refuse();
    const tokens = await this.#provider.tokens();
    if (tokens?.access_token !== this.#used) return;
    if (await this.#takeOver(tokens?.refresh_token)) return;
    const { hosts } = await this.#file.read();
    const fetchFn = loginFetch(this.#net, this.#settings, () => hosts, refuse, this.#signal);
    const provider = new LoginProvider(this.#settings, this.#file, this.#refreshed);
    await auth(provider, { serverUrl, fetchFn, ...(resourceMetadataUrl && { resourceMetadataUrl }) });
  }

  /** Takes what another node has got by now; returns false if a refresh is still to be made. */
  async #takeOver(refreshToken: string | undefined): Promise<boolean> {
    const found = await this.#refreshed.newest(refreshToken);
    if (!found) return false;
    const { issuer } = await this.#file.read();
    await this.#provider.saveTokens(found.tokens, issuer === undefined ? undefined : { issuer });
    return found.isFresh && found.tokens.access_token !== this.#used;
  }

  /**
   * Notes the scopes that a call lacked, for the next login, and throws MCP_LOGIN. Returns for
   * other answers.
   */
  async checkScope(response: Response): Promise<void> {
    if (response.status !== 403) return;
    const { error, scope: asked } = extractWWWAuthenticateParams(response);
    const scope = plainScopes(asked);
    if (error !== "insufficient_scope") return;
    const logins = await this.#file.read();
    const given = (await this.#provider.tokens())?.scope;
    const wanted = plainScopes(computeScopeUnion(given, logins.wanted, scope));
    await this.#file.write({ ...logins, ...(wanted !== undefined && { wanted }) });
    const { name } = this.#settings;
    throw errors.MCP_LOGIN_SCOPE(name, printable(scope ?? "", MAX_SHOWN), name);
  }
}
