import { errors } from "@gantry/sdk";
import type { ImapFlow } from "imapflow";
import type { MailPart } from "./mail-parts.ts";

/** How much is asked for at once. */
const chunkSize = 256 * 1024;

/** The bytes of a piece of a mail, without its transfer encoding. Throws MEDIA_TOO_LARGE beyond `maxBytes`. */
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

/** The beginning of a text, in whatever it was written. */
export async function loadText(
  client: ImapFlow,
  uid: number,
  { part, charset }: MailPart,
  maxBytes: number,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const { bytes, isCut } = await download(client, uid, part, maxBytes);
  return { text: decode(bytes, charset), isCut };
}

async function download(
  client: ImapFlow,
  uid: number,
  part: string,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly isCut: boolean }> {
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

/** What names its signs comes in UTF-8 already; what names none is UTF-8, or what old programs write. */
function decode(bytes: Uint8Array, charset: string | undefined): string {
  try {
    // What was cut may end within a sign.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder(charset === undefined ? "windows-1252" : "utf-8").decode(bytes);
  }
}
