import type { Json } from "@gantry/sdk";
import { readAddress } from "./mail-address.ts";

/** Ids in the header References: the first, and as many of the last. */
const maxReferences = 20;
const idForm = /^<[^\s<>]{1,401}>$/;

/** The address of an answer, and the thread that it belongs to. */
export interface ReplyAddress {
  readonly to: string;
  readonly subject?: string;
  /** The id of the mail that is answered. */
  readonly inReplyTo?: string;
  readonly references: readonly string[];
  /** The thread's first mail; missing for a mail that begins one. */
  readonly root?: string;
}

export function replyAddress(
  to: string,
  subject: string,
  id: string | undefined,
  references: readonly string[],
  root: string,
): Json {
  const all = [...references, ...(id === undefined ? [] : [id])];
  const kept = all.length <= maxReferences ? all : [all[0] as string, ...all.slice(1 - maxReferences)];
  return { to, subject, references: kept, root, ...(id !== undefined && { inReplyTo: id }) };
}

/** Reads an address of this channel; undefined if invalid. An address alone begins a thread. */
export function readReplyAddress(to: Json): ReplyAddress | undefined {
  if (typeof to === "string") {
    const address = readAddress(to);
    return address === undefined ? undefined : { to: address, references: [] };
  }
  if (typeof to !== "object" || to === null || Array.isArray(to)) return undefined;
  const { to: person, subject, inReplyTo, references, root } = to as { readonly [key: string]: Json };
  const address = typeof person === "string" ? readAddress(person) : undefined;
  if (address === undefined) return undefined;
  const ids = Array.isArray(references) ? references.filter(isId) : [];
  return {
    to: address,
    references: ids.slice(-maxReferences),
    ...(typeof subject === "string" && { subject }),
    ...(isId(inReplyTo) && { inReplyTo }),
    ...(isId(root) && { root }),
  };
}

function isId(id: Json | undefined): id is string {
  return typeof id === "string" && idForm.test(id);
}
