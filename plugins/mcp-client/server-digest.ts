import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { digestOf } from "./digest.ts";
import type { ServerSettings } from "./settings.ts";

const known = new Map<string, Promise<string>>();

/**
 * Returns the SHA-256 of what a server is: its address, or its command line, the names of its
 * variables, and the bytes of every file that the line names by an absolute path; of what was
 * installed for it `installed`, the digest.
 */
export async function serverDigest(settings: ServerSettings, installed: string | undefined): Promise<string> {
  if (settings.kind === "http") return digestOf({ url: settings.url, headers: namesOf(settings.headers) });
  const { argv, env } = settings;
  const files = await Promise.all(argv.filter((word) => path.isAbsolute(word)).map(fileDigest));
  return digestOf({ argv, env: namesOf(env), files, installed });
}

function namesOf(values: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(values).toSorted();
}

/** Returns null for what is not a file: a folder, or nothing. */
async function fileDigest(file: string): Promise<string | null> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  if (!found?.isFile()) return null;
  const { dev, ino, size, mtimeNs, ctimeNs } = found;
  const key = [file, dev, ino, size, mtimeNs, ctimeNs].join();
  // A program has many megabytes, and is asked for at each start of its server.
  const digest = known.get(key) ?? bytesDigest(file);
  known.set(key, digest);
  digest.catch(() => known.delete(key));
  return digest;
}

async function bytesDigest(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}
