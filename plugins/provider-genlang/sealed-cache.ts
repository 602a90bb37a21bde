import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import type { Store } from "@gantry/sdk";
import type { Tokens } from "./tokens.ts";

const SPACE = "genlang-token";

/**
 * The tokens that a refresh gave for a file that is not ours; the store never holds them in the
 * clear.
 */
export type Refreshed = Pick<Tokens, "accessToken" | "refreshToken" | "expires">;

/** A name for a secret, from which the secret cannot be found. */
export function digest(secret: string): string {
  return createHash("sha256").update(`name\0${secret}`).digest("hex").slice(0, 32);
}

function keyOf(secret: string): Buffer {
  return createHash("sha256").update(`key\0${secret}`).digest();
}

/** Sealed with the refresh token that it came from: who can open it could have fetched it. */
export async function putSealed(store: Store, refreshToken: string, value: Refreshed): Promise<void> {
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", keyOf(refreshToken), iv);
  const text = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
  const sealed = Buffer.concat([iv, cipher.getAuthTag(), text]).toString("base64");
  const life = value.expires === undefined ? {} : { forMs: value.expires - Date.now() };
  await store.values.put(SPACE, digest(refreshToken), sealed, life);
}

export async function getSealed(store: Store, refreshToken: string): Promise<Refreshed | undefined> {
  const sealed = await store.values.get<string>(SPACE, digest(refreshToken));
  if (typeof sealed !== "string") return undefined;
  try {
    const bytes = Buffer.from(sealed, "base64");
    const decipher = createDecipheriv("aes-256-gcm", keyOf(refreshToken), bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return JSON.parse(
      Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString(),
    ) as Refreshed;
  } catch {
    return undefined;
  }
}
