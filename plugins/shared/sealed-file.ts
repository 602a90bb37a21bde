import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";

/** The first bytes of a sealed file; then come salt, length of the content, their HMAC-SHA256. */
const magic = Buffer.from("gantry backup 1\n");
const saltBytes = 16;
const boundBytes = magic.length + saltBytes + 8;
const headBytes = boundBytes + 32;
const tagBytes = 16;
/** Each file has a key of its own, by its salt, so that no pair of key and nonce comes twice. */
const nonce = Buffer.alloc(12);

/** The outcome of opening a sealed file; it was written whole in the first case alone. */
export type Unsealed = "opened" | "other passphrase" | "cut" | "changed";

interface Keys {
  readonly content: Buffer;
  readonly head: Buffer;
}

/** Returns true if the file begins as a sealed one. */
export async function isSealed(file: string): Promise<boolean> {
  return (await headOf(file)).subarray(0, magic.length).equals(magic);
}

/** Writes `from` to the new file `to`, encrypted by AES-256-GCM; it is on disk when it resolves. */
export async function seal(from: string, to: string, passphrase: string, signal: AbortSignal): Promise<void> {
  const { size } = await stat(from);
  const bound = Buffer.concat([magic, randomBytes(saltBytes), Buffer.alloc(8)]);
  bound.writeBigUInt64BE(BigInt(size), magic.length + saltBytes);
  const keys = await keysOf(passphrase, bound);
  const cipher = createCipheriv("aes-256-gcm", keys.content, nonce);
  async function* sealed(): AsyncGenerator<Buffer> {
    yield Buffer.concat([bound, macOf(keys, bound)]);
    for await (const piece of createReadStream(from)) yield cipher.update(piece as Buffer);
    yield cipher.final();
    yield cipher.getAuthTag();
  }
  await pipeline(sealed, createWriteStream(to, { flags: "wx", mode: 0o600, flush: true }), { signal });
}

/**
 * Writes the content of a sealed file to the new file `to`, for its owner alone; nothing is left
 * there unless all of it is as it was sealed.
 */
export async function unseal(file: string, to: string, passphrase: string): Promise<Unsealed> {
  const head = await headOf(file);
  if (head.length < headBytes) return "cut";
  const bound = head.subarray(0, boundBytes);
  const keys = await keysOf(passphrase, bound);
  if (!timingSafeEqual(macOf(keys, bound), head.subarray(boundBytes))) return "other passphrase";
  const end = headBytes + Number(bound.readBigUInt64BE(magic.length + saltBytes));
  const { size } = await stat(file);
  if (size !== end + tagBytes) return size < end + tagBytes ? "cut" : "changed";
  const decipher = createDecipheriv("aes-256-gcm", keys.content, nonce);
  decipher.setAuthTag(await bytesAt(file, end, tagBytes));
  try {
    await pipeline(piecesOf(file, end), decipher, createWriteStream(to, { flags: "wx", mode: 0o600 }));
    return "opened";
  } catch (error) {
    await rm(to, { force: true });
    if ((error as NodeJS.ErrnoException).code === undefined) return "changed";
    throw error;
  }
}

/** Yields the encrypted bytes before `end`. */
async function* piecesOf(file: string, end: number): AsyncGenerator<Buffer> {
  if (end === headBytes) return;
  for await (const piece of createReadStream(file, { start: headBytes, end: end - 1 })) yield piece as Buffer;
}

function headOf(file: string): Promise<Buffer> {
  return bytesAt(file, 0, headBytes);
}

/** Returns fewer bytes if the file ends before. */
async function bytesAt(file: string, position: number, length: number): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(length), position });
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function macOf({ head }: Keys, bound: Buffer): Buffer {
  return createHmac("sha256", head).update(bound).digest();
}

function keysOf(passphrase: string, bound: Buffer): Promise<Keys> {
  const salt = bound.subarray(magic.length, magic.length + saltBytes);
  return new Promise((resolve, reject) => {
    // 32 MiB and a tenth of a second, which a small board has too.
    const costs = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 2 ** 20 };
    scrypt(passphrase, salt, 64, costs, (error, key) => {
      if (error) reject(error);
      else resolve({ content: key.subarray(0, 32), head: key.subarray(32) });
    });
  });
}
