import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { printable } from "@gantry/sdk/node";
import { errors } from "./errors.ts";
import type { LoginFile, OfIssuer } from "./login-file.ts";
import { RefreshedLogins } from "./refreshed-logins.ts";
import { plainScopes, scopesIn } from "./scopes.ts";
import type { RemoteSettings } from "./settings.ts";

/** A login that a person is at; without it tokens are only refreshed. */
export interface Visit {
  readonly redirectUri: string;
  readonly state: string;
  /** Hosts beside the server's that the owner has said yes to. */
  hosts(): readonly string[];
  /** `scopes`: those that the last login did not have. */
  show(address: string, scopes: readonly string[]): void;
  /** Asks the owner about an issuer that is another than that of the last login. Throws a no. */
  allow(issuer: string): Promise<void>;
  /**
   * Asks the owner about a host that is neither the server's nor among {@link hosts}. Throws a no.
   */
  allowHost(host: string): Promise<void>;
}

/**
 * Browsers refuse this port without connecting, so the code stays in the address bar and goes to
 * nobody.
 */
export const NOWHERE = "http://127.0.0.1:1/callback";

/**
 * The keeper of logins that the official client asks. Secrets are given only to the issuer that
 * they are of.
 */
export class LoginProvider implements OAuthClientProvider {
  readonly #settings: RemoteSettings;
  readonly #file: LoginFile;
  readonly #visit: Visit | undefined;
  readonly #refreshed: RefreshedLogins | undefined;
  #verifier = "";
  #discovered: OAuthDiscoveryState | undefined;
  /** Registered in this login: its address of return is another one each time. */
  #registered: StoredOAuthClientInformation | undefined;

  /** A `visit`, or logins that are `refreshed` for all nodes. */
  constructor(settings: RemoteSettings, file: LoginFile, by: Visit | RefreshedLogins) {
    [this.#settings, this.#file] = [settings, file];
    if (by instanceof RefreshedLogins) this.#refreshed = by;
    else this.#visit = by;
  }

  /** Never undefined: without it the client would ask for tokens that need no person. */
  get redirectUrl(): string {
    return this.#visit?.redirectUri ?? NOWHERE;
  }

  get clientMetadataUrl(): string | undefined {
    const { id } = this.#settings.oauth;
    return id?.startsWith("https://") === true ? id : undefined;
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: "Gantry",
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      application_type: "native",
    };
  }

  state(): string {
    return this.#visit?.state ?? "";
  }

  async clientInformation(
    about?: OAuthClientInformationContext,
  ): Promise<StoredOAuthClientInformation | undefined> {
    const { issuer: known, issuers } = await this.#file.read();
    const issuer = about?.issuer ?? known ?? "";
    const { name, oauth } = this.#settings;
    // The owner's registration was accepted at one issuer, and is never another's to see.
    const isOther = known !== undefined && known !== issuer;
    if (isOther && (!this.#visit || oauth.id !== undefined))
      throw errors.MCP_LOGIN_ISSUER(name, printable(issuer, 200), known, name, name);
    if (isOther && !this.#registered) await this.#visit?.allow(issuer);
    if (oauth.id !== undefined && this.clientMetadataUrl === undefined) {
      const secret = oauth.secret !== undefined && { client_secret: oauth.secret };
      return { client_id: oauth.id, ...secret, issuer };
    }
    return this.#visit ? this.#registered : issuers[issuer]?.client;
  }

  async saveClientInformation(
    client: StoredOAuthClientInformation,
    about?: OAuthClientInformationContext,
  ): Promise<void> {
    // A login is kept once it has come to its end.
    if (this.#visit) this.#registered = client;
    else await this.#save(about, { client });
  }

  async tokens(about?: OAuthClientInformationContext): Promise<StoredOAuthTokens | undefined> {
    const { issuer, issuers } = await this.#file.read();
    return issuers[about?.issuer ?? issuer ?? ""]?.tokens;
  }

  async saveTokens(tokens: StoredOAuthTokens, about?: OAuthClientInformationContext): Promise<void> {
    const issuer = about?.issuer ?? "";
    const logins = await this.#file.read();
    const before = this.#visit ? undefined : logins.issuers[issuer]?.tokens?.refresh_token;
    const refresh_token = tokens.refresh_token ?? before;
    const kept = { ...tokens, ...(refresh_token !== undefined && { refresh_token }) };
    if (!this.#visit) {
      await this.#save(about, { tokens: kept });
      return before === undefined ? undefined : this.#refreshed?.keep(before, kept);
    }
    const client = this.#registered;
    const of = { ...(client && { client }), tokens: kept };
    const hosts = this.#visit.hosts();
    await this.#file.write({ issuer, hosts, issuers: { ...logins.issuers, [issuer]: of } });
  }

  /**
   * Shows the owner where to log in. Throws MCP_LOGIN if no person is there, MCP_LOGIN_FAILED for a
   * page or scopes that nobody should be shown, and a no about the page's host.
   */
  async redirectToAuthorization(address: URL): Promise<void> {
    const { name, domains } = this.#settings;
    const visit = this.#visit;
    if (!visit) throw errors.MCP_LOGIN(name, name);
    const { hostname, searchParams } = address;
    if (!isPage(address)) {
      const shown = printable(`${address.protocol}//${hostname}`, 200);
      throw errors.MCP_LOGIN_FAILED(name, `its page is at ${shown}, which is not https`);
    }
    const scopes = scopesIn(searchParams.get("scope") ?? "");
    if (scopes.join(" ") !== (plainScopes(scopes.join(" ")) ?? ""))
      throw errors.MCP_LOGIN_FAILED(name, "it asks for scopes that cannot be shown");
    if (![...domains, ...visit.hosts()].includes(hostname)) await visit.allowHost(hostname);
    const before = scopesIn((await this.tokens())?.scope);
    visit.show(
      address.href,
      scopes.filter((one) => !before.includes(one)),
    );
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state;
  }

  async invalidateCredentials(what: string): Promise<void> {
    const { issuer = "" } = await this.#file.read();
    if (what === "all" || what === "client") this.#registered = undefined;
    if (what === "all" || what === "tokens") await this.#save({ issuer }, { tokens: undefined });
  }

  async #save(
    about: OAuthClientInformationContext | undefined,
    given: { readonly [K in keyof OfIssuer]?: OfIssuer[K] | undefined },
  ): Promise<void> {
    const logins = await this.#file.read();
    const issuer = about?.issuer ?? "";
    const kept = Object.entries({ ...logins.issuers[issuer], ...given });
    const of = Object.fromEntries(kept.filter(([, value]) => value !== undefined)) as OfIssuer;
    await this.#file.write({ ...logins, issuers: { ...logins.issuers, [issuer]: of } });
  }
}

/** Returns true for a page that a browser may be sent to: without TLS only one of this machine. */
function isPage({ protocol, hostname }: URL): boolean {
  if (protocol === "https:") return true;
  return protocol === "http:" && /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/.test(hostname);
}
