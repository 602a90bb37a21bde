import type { Settings } from "./settings.ts";

const maxLength = 300;

/** What the platform said, fit for a log: one line, without the channel's secrets and whatever else looks like a token. */
export function scrub(text: string, { accessToken, appSecret, verifyToken }: Settings): string {
  let clean = text;
  for (const secret of [accessToken, appSecret, verifyToken])
    if (secret) clean = clean.replaceAll(secret, "***");
  return clean
    .replace(/\b(Bearer\s+|access_token["']?\s*[=:]\s*["']?|appsecret_proof=)[^\s"'&,}]+/gi, "$1***")
    .replace(/\bEAA[A-Za-z0-9]{8,}/g, "***")
    .replace(/\p{Cc}+/gu, " ")
    .slice(0, maxLength);
}
