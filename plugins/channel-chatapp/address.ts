import type { Json } from "@gantry/sdk";

/** The address of an answer. */
export interface ChatAddress {
  /** `+<country code><number>` */
  readonly to: string;
  /** The platform's id of the message that is answered. */
  readonly message?: string;
}

/**
 * Returns the address (a number alone is one), or undefined if this channel has no such address.
 */
export function readAddress(address: Json): ChatAddress | undefined {
  if (typeof address === "string") return { to: address };
  if (typeof address !== "object" || address === null || Array.isArray(address)) return undefined;
  const { to, message } = address as { readonly [key: string]: Json };
  if (typeof to !== "string") return undefined;
  return typeof message === "string" ? { to, message } : { to };
}
