import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import type { Store } from "@gantry/sdk";
import type { ValueLife } from "@gantry/sdk/fill";

/** Returns a name for a secret, from which the secret cannot be found. */
export function digest(secret: string): string {
  return createHash("sha256").update(`name\0${secret}`).digest("hex").slice(0, 32);
}

function keyOf(secret: string): Buffer {
  return createHash("sha256").update(`key\0${secret}`).digest();
}

/**
 * Keeps a value under a random secret, which alone opens it: the store never holds it in the clear.
 */
export async function putSealed(
  store: Store,
  space: string,
  secret: string,
  value: unknown,
  life: ValueLife = {},
): Promise<void> {
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", keyOf(secret), iv);
  const text = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
  const sealed = Buffer.concat([iv, cipher.getAuthTag(), text]).toString("base64");
  await store.values.put(space, digest(secret), sealed, life);
}

/** Returns undefined also for what this secret does not open. */
export async function getSealed<T>(store: Store, space: string, secret: string): Promise<T | undefined> {
  const sealed = await store.values.get<string>(space, digest(secret));
  if (typeof sealed !== "string") return undefined;
  try {
    const bytes = Buffer.from(sealed, "base64");
    const decipher = createDecipheriv("aes-256-gcm", keyOf(secret), bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(12, 28));
    const text = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
    return JSON.parse(text.toString()) as T;
  } catch {
    return undefined;
  }
}
