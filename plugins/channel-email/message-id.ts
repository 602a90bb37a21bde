import { createHash } from "node:crypto";

const ownForm = /^<gantry\.[0-9a-f]{32}\.\d+@/;

/** Returns the same id for every try of one mail, so that whoever gets it twice knows it again. */
export function ownId(key: string, part: number, address: string): string {
  return `<gantry.${digest(key)}.${part}@${address.slice(address.indexOf("@") + 1)}>`;
}

export function isOwnId(id: string): boolean {
  return ownForm.test(id);
}

/** Returns a short name for something long that comes from outside. */
export function digest(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
