import { readSecrets, type ChatRules } from "@gantry/sdk/channel";
import type { ChatappConfig } from "./config.ts";

export interface Settings extends ChatRules {
  readonly accessToken: string;
  readonly phoneNumberId: string;
  readonly verifyToken: string;
  /** Undefined: signatures are not checked. */
  readonly appSecret: string | undefined;
  readonly graphUrl: string;
  /** Plain http to this very machine, for tests. */
  readonly allowInsecureLoopback: boolean;
}

/** Throws CHANNEL_MISSING and CHANNEL_BLANK. */
export function settingsFrom(
  { channels_config: { chatapp: table }, endpoints }: ChatappConfig,
  env: NodeJS.ProcessEnv,
): Settings {
  const { access_token, phone_number_id, verify_token, app_secret } = table;
  const keys = readSecrets({
    channel: "chatapp",
    table: "channels_config.chatapp",
    values: { access_token, phone_number_id, verify_token, app_secret },
    required: ["access_token", "phone_number_id", "verify_token"],
    env,
  });
  return {
    accessToken: keys.access_token as string,
    phoneNumberId: keys.phone_number_id as string,
    verifyToken: keys.verify_token as string,
    appSecret: keys.app_secret,
    people: {
      allowed: table.allowed_numbers,
      owners: table.owners,
      sendersProven: keys.app_secret !== undefined,
    },
    groups: "off",
    graphUrl: endpoints.graph_url,
    allowInsecureLoopback: env["SERVICE_ALLOW_INSECURE_LOOPBACK"] === "1",
  };
}
