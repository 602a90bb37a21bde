import type { AllowedPeople } from "@gantry/sdk/channel";
import type { ChatappConfig } from "./config.ts";
import { errors } from "./errors.ts";

export interface Settings {
  readonly accessToken: string;
  readonly phoneNumberId: string;
  readonly verifyToken: string;
  /** Undefined: signatures are not checked. */
  readonly appSecret: string | undefined;
  readonly people: AllowedPeople;
  readonly graphUrl: string;
  /** Plain http to this very machine, for tests. */
  readonly allowInsecureLoopback: boolean;
}

/**
 * A variable wins over its key, so that a secret need not stand in a file. Throws CHATAPP_MISSING
 * and CHATAPP_BLANK.
 */
export function settingsFrom(
  { channels_config: { chatapp: table }, endpoints }: ChatappConfig,
  env: NodeJS.ProcessEnv,
  named?: AllowedPeople["named"],
): Settings {
  const missing: string[] = [];
  const read = (
    key: "access_token" | "phone_number_id" | "verify_token" | "app_secret",
  ): string | undefined => {
    const name = `SERVICE_CHATAPP_${key.toUpperCase()}`;
    const value = env[name] ?? table[key];
    if (value?.trim() === "") throw errors.CHATAPP_BLANK(name);
    if (value === undefined && key !== "app_secret") missing.push(`${key} (${name})`);
    return value;
  };
  const accessToken = read("access_token");
  const phoneNumberId = read("phone_number_id");
  const verifyToken = read("verify_token");
  if (accessToken === undefined || phoneNumberId === undefined || verifyToken === undefined) {
    throw errors.CHATAPP_MISSING(missing.join(", "));
  }
  const appSecret = read("app_secret");
  return {
    accessToken,
    phoneNumberId,
    verifyToken,
    appSecret,
    people: {
      allowed: table.allowed_numbers,
      owners: table.owners,
      named,
      sendersProven: appSecret !== undefined,
    },
    graphUrl: endpoints.graph_url,
    allowInsecureLoopback: env["SERVICE_ALLOW_INSECURE_LOOPBACK"] === "1",
  };
}
