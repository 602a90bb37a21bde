import { errors } from "@gantry/sdk";
import type { ImapFlow } from "imapflow";
import type { MailPart } from "./mail-parts.ts";

/** Bytes that are asked for at once. */
const chunkSize = 256 * 1024;

export interface Beginning {
  readonly bytes: Uint8Array;
  /** True if there is more. */
  readonly isCut: boolean;
}

/** Loads a piece of a mail, decoded. Throws MEDIA_TOO_LARGE beyond `maxBytes`. */
export async function loadPart(
  client: ImapFlow,
  uid: number,
  { part, name = "The file" }: MailPart,
  maxBytes: number,
): Promise<Uint8Array> {
  const { bytes, isCut } = await download(client, uid, part, maxBytes);
  if (isCut) throw errors.MEDIA_TOO_LARGE(name, maxBytes + 1, maxBytes);
  return bytes;
}

/** Loads the beginning of a piece, without its transfer encoding. */
export async function loadBeginning(
  client: ImapFlow,
  uid: number,
  { part }: MailPart,
  maxBytes: number,
): Promise<Beginning> {
  return download(client, uid, part, maxBytes);
}

async function download(client: ImapFlow, uid: number, part: string, maxBytes: number): Promise<Beginning> {
  const { content } = await client.download(String(uid), part, {
    uid: true,
    maxBytes: maxBytes + 1,
    chunkSize,
  });
  const pieces: Buffer[] = [];
  if (content !== undefined) for await (const piece of content) pieces.push(piece as Buffer);
  const whole = Buffer.concat(pieces);
  return { bytes: whole.subarray(0, maxBytes), isCut: whole.length > maxBytes };
}
