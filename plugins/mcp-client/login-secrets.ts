import type { Redactor } from "@gantry/sdk/fill";
import type { StoredOAuthClientInformation, StoredOAuthTokens } from "@modelcontextprotocol/client";

const MARK = "[redacted secret]";
/** Refreshes replace tokens, and the ones before them may yet be echoed. */
const MOST_KNOWN = 256;
/** A shorter text could be an ordinary word. */
const SHORTEST = 8;

/** What issuers have given. */
interface Given {
  readonly issuers: Readonly<
    Record<string, { readonly client?: StoredOAuthClientInformation; readonly tokens?: StoredOAuthTokens }>
  >;
}

/** The secrets that logins have given to this process. */
export class LoginSecrets implements Redactor {
  readonly name = "mcp-logins";
  /** Results lose the secrets before a model reads them, so no answer is streamed with one. */
  readonly holdBack = 0;
  readonly #known = new Set<string>();

  /** Remembers what stands in a file of logins. */
  add({ issuers }: Given): void {
    for (const { client, tokens } of Object.values(issuers)) {
      const { access_token, refresh_token, id_token } = tokens ?? {};
      for (const secret of [client?.client_secret, access_token, refresh_token, id_token])
        if (typeof secret === "string" && secret.length >= SHORTEST) this.#remember(secret);
    }
  }

  redact(text: string): string {
    let left = text;
    for (const secret of this.#known) left = left.replaceAll(secret, MARK);
    return left;
  }

  /** Returns a value of JSON without the secrets in its texts and keys. */
  without<T>(value: T): T {
    return (this.#known.size === 0 ? value : this.#mapped(value)) as T;
  }

  #mapped(value: unknown): unknown {
    if (typeof value === "string") return this.redact(value);
    if (Array.isArray(value)) return value.map((one) => this.#mapped(one));
    if (value === null || typeof value !== "object") return value;
    const entries = Object.entries(value);
    return Object.fromEntries(entries.map(([key, one]) => [this.redact(key), this.#mapped(one)]));
  }

  #remember(secret: string): void {
    this.#known.delete(secret);
    this.#known.add(secret);
    if (this.#known.size > MOST_KNOWN) this.#known.delete(this.#known.values().next().value as string);
  }
}
