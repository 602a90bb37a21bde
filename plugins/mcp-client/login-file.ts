import { mkdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { replaceFile } from "@gantry/sdk/node";
import type { StoredOAuthClientInformation, StoredOAuthTokens } from "@modelcontextprotocol/client";
import { errors } from "./errors.ts";
import type { ServerSecrets } from "./server-secrets.ts";
import type { RemoteSettings } from "./settings.ts";

/** The credentials that one issuer has given. */
export interface OfIssuer {
  readonly client?: StoredOAuthClientInformation;
  readonly tokens?: StoredOAuthTokens;
}

/** The login that a server says it wants. */
export interface Challenge {
  /** The address of its metadata, if it named one. */
  readonly metadata?: string;
  readonly scope?: string;
}

/** The logins at one server. */
export interface Logins {
  /** The address of the server: at another one they are nobody's. */
  readonly url?: string;
  /** The issuer of the last login, which the owner said yes to. */
  readonly issuer?: string;
  /** Hosts beside the server's that the owner said yes to. */
  readonly hosts: readonly string[];
  /** The server's refusal of a request without a login, or with one that it no longer takes. */
  readonly challenge?: Challenge;
  /** Scopes that a call lacked. */
  readonly wanted?: string;
  readonly issuers: Readonly<Record<string, OfIssuer>>;
}

const NONE: Logins = { hosts: [], issuers: {} };

/** Takes a server's logins away. Returns false if there were none. */
export async function removeLogins(configDir: string, name: string): Promise<boolean> {
  return rm(fileOf(configDir, name)).then(
    () => true,
    () => false,
  );
}

function fileOf(configDir: string, name: string): string {
  return path.join(configDir, "mcp-logins", `${name}.json`);
}

/** The file of a server's logins, in the configuration directory, which no tool reads. */
export class LoginFile {
  readonly #name: string;
  readonly #file: string;
  readonly #url: string;
  readonly #secrets: ServerSecrets | undefined;

  /** `secrets` learns what is read. */
  constructor(
    configDir: string,
    { name, url }: Pick<RemoteSettings, "name" | "url">,
    secrets?: ServerSecrets,
  ) {
    [this.#name, this.#url, this.#secrets] = [name, url, secrets];
    this.#file = fileOf(configDir, name);
  }

  /** Throws MCP_LOGIN_UNREADABLE. */
  async read(): Promise<Logins> {
    try {
      const { hosts, issuers, ...rest } = JSON.parse(await readFile(this.#file, "utf8")) as Logins;
      this.#learn(issuers);
      return rest.url === this.#url ? { ...rest, hosts: [...hosts], issuers: { ...issuers } } : NONE;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") return NONE;
      throw errors.MCP_LOGIN_UNREADABLE(this.#file, code ?? "it is not JSON", this.#name, this.#name);
    }
  }

  #learn(issuers: Logins["issuers"]): void {
    for (const { client, tokens } of Object.values(issuers))
      this.#secrets?.add([tokens?.access_token, tokens?.refresh_token, client?.client_secret]);
  }

  /** Only its owner may read it. */
  async write(logins: Logins): Promise<void> {
    this.#learn(logins.issuers);
    await this.#folder();
    const kept = { ...logins, url: this.#url };
    await replaceFile(this.#file, `${JSON.stringify(kept, undefined, 2)}\n`);
  }

  async #folder(): Promise<void> {
    await mkdir(path.dirname(this.#file), { recursive: true, mode: 0o700 });
  }
}
