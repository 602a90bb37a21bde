import { scrubber } from "@gantry/sdk/channel";
import type { Settings } from "./settings.ts";

/**
 * Returns the platform's words fit for a log: on one line, without the channel's secrets and
 * whatever else looks like a token.
 */
export function scrub(text: string, { accessToken, appSecret, verifyToken }: Settings): string {
  const clean = text
    .replace(/\b(Bearer\s+|access_token["']?\s*[=:]\s*["']?|appsecret_proof=)[^\s"'&,}]+/gi, "$1***")
    .replace(/\bEAA[A-Za-z0-9]{8,}/g, "***");
  return scrubber([accessToken, appSecret, verifyToken])(clean);
}
