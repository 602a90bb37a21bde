import { providerKeys } from "@gantry/sdk/fill";
import { ApiKey, ProviderTable } from "@gantry/sdk/provider";
import { Type } from "typebox";
import type { Static } from "typebox";

const address = (description: string, value: string) =>
  Type.String({ pattern: "^https?://", default: value, description });
const secret = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));

export const GenlangConfig = Type.Object({
  api_key: ApiKey,
  default_provider: providerKeys.default_provider,
  providers: ProviderTable,
  endpoints: Type.Object({
    genlang_url: address(
      "The generative-language API, for API keys.",
      "https://generativelanguage.googleapis.com/v1beta",
    ),
    genlang_internal_url: address(
      "The generative-language API, for OAuth.",
      "https://cloudcode-pa.googleapis.com/v1internal",
    ),
    oauth_token_url: address(
      "Where OAuth tokens are fetched and refreshed.",
      "https://oauth2.googleapis.com/token",
    ),
    oauth_authorize_url: address(
      "Where a login begins in the browser.",
      "https://accounts.google.com/o/oauth2/v2/auth",
    ),
  }),
  plugins_config: Type.Object({
    "provider-genlang": Type.Object({
      oauth_client_id: secret(
        "Id of an OAuth client (desktop app): your own for `auth login`, or that of the vendor's CLI, whose login is renewed with it.",
      ),
      oauth_client_secret: secret("Secret of that client."),
    }),
  }),
});
export type GenlangConfig = Readonly<Static<typeof GenlangConfig>>;

export const NAME = "genlang";
export const ALIASES: readonly string[] = [NAME, "gemini", "google"];

/** An OAuth client; installed apps have no real secret, and some servers want one all the same. */
export interface OAuthClient {
  readonly id: string;
  readonly secret: string | undefined;
}

/** The client that the owner configured, or that the environment names. */
export function ownClient(config: GenlangConfig): OAuthClient | undefined {
  const { oauth_client_id, oauth_client_secret } = config.plugins_config["provider-genlang"];
  if (oauth_client_id) return { id: oauth_client_id, secret: oauth_client_secret };
  const { SERVICE_GENLANG_CLIENT_ID: id, SERVICE_GENLANG_CLIENT_SECRET: fromEnv } = process.env;
  return id ? { id, secret: fromEnv || undefined } : undefined;
}
