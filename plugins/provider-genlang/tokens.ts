import { errors } from "./errors.ts";

/** OAuth tokens, from whichever file. */
export interface Tokens {
  readonly accessToken: string | undefined;
  readonly refreshToken: string | undefined;
  /** Unix ms; undefined if it is not known. */
  readonly expires: number | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
}

/** A place that holds tokens. */
export interface Account {
  /** As people know it, safe to print: a path or a profile's name. */
  readonly id: string;
  readonly source: "auth-profiles" | "vendor CLI OAuth";
  /** Throws `GENLANG_CREDENTIAL_BROKEN`. */
  read(): Promise<Tokens>;
  /** Present only if the file is ours. */
  save?(tokens: Tokens): Promise<void>;
}

/** A token that ends within this time is refreshed before it is used. */
export const REFRESH_WINDOW_MS = 60_000;

export function isFresh({ accessToken, expires }: Tokens, now: number = Date.now()): boolean {
  return accessToken !== undefined && expires !== undefined && expires - now > REFRESH_WINDOW_MS;
}

const PRINTABLE = /^[\x21-\x7e]+$/;

/** Reads the fields as the vendor's CLI and this product write them, in snake_case or camelCase. */
export function readTokens(value: unknown, where: string): Tokens {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw errors.GENLANG_CREDENTIAL_BROKEN(where, "it is not a JSON object");
  const fields = value as Record<string, unknown>;
  const text = (snake: string, camel: string): string | undefined => {
    const found = fields[snake] ?? fields[camel];
    if (found === undefined || found === null || found === "") return undefined;
    if (typeof found !== "string" || !PRINTABLE.test(found))
      throw errors.GENLANG_CREDENTIAL_BROKEN(where, `${snake} is not a plain text`);
    return found;
  };
  const accessToken = text("access_token", "accessToken");
  const refreshToken = text("refresh_token", "refreshToken");
  if (!accessToken && !refreshToken)
    throw errors.GENLANG_CREDENTIAL_BROKEN(where, "it holds neither access_token nor refresh_token");
  return {
    accessToken,
    refreshToken,
    expires: readExpiry(fields["expiry_date"] ?? fields["expiryDate"], fields["expiry"]),
    clientId: text("client_id", "clientId") ?? audience(text("id_token", "idToken")),
    clientSecret: text("client_secret", "clientSecret"),
  };
}

/** Milliseconds, or a date in RFC 3339; what cannot be read is unknown, which means: refresh. */
function readExpiry(date: unknown, text: unknown): number | undefined {
  const ms =
    typeof date === "number" || (typeof date === "string" && date.trim() !== "") ? Number(date) : Number.NaN;
  const read = Number.isFinite(ms) ? ms : typeof text === "string" ? Date.parse(text) : Number.NaN;
  return Number.isFinite(read) && read > 0 ? read : undefined;
}

/** The client that an id token was made for. */
function audience(idToken: string | undefined): string | undefined {
  const claims = idToken === undefined ? {} : readClaims(idToken);
  const id = claims["azp"] ?? claims["aud"];
  return typeof id === "string" ? id : undefined;
}

/**
 * Returns the claims of a token that came from its issuer directly; nothing is verified here. Empty
 * if it cannot be read.
 */
export function readClaims(idToken: string): Readonly<Record<string, unknown>> {
  try {
    const claims: unknown = JSON.parse(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString());
    return typeof claims === "object" && claims !== null ? (claims as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
