import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { digestOf } from "./digest.ts";
import type { ServerSettings } from "./settings.ts";

const known = new Map<string, Promise<string>>();

/** The facts that tell one way of starting or reaching a server from another. */
export type ServerStart =
  | { readonly url: string; readonly headers: readonly string[] }
  | {
      readonly argv: readonly string[];
      /** The names of its variables. */
      readonly env: readonly string[];
      /**
       * The SHA-256 of the file at each absolute path in `argv`, null for a path that is not a
       * file.
       */
      readonly files: readonly (string | null)[];
      /** The digest of what was installed for it. */
      readonly installed: string | undefined;
    };

/** The facts of a server, and the reach that its walls leave it. */
export interface ServerFacts {
  /** SHA-256 of `start`. */
  readonly server: string;
  readonly start: ServerStart;
  /** As the configuration has them. */
  readonly reach: {
    readonly domains: readonly string[];
    readonly read?: readonly string[];
    readonly write?: readonly string[];
  };
}

/** @param installed - the digest of what was installed for it */
export async function serverFacts(
  settings: ServerSettings,
  installed: string | undefined,
): Promise<ServerFacts> {
  const start = await startOf(settings, installed);
  const { domains } = settings;
  const paths = settings.kind === "stdio" ? { read: settings.read, write: settings.write } : {};
  return { server: digestOf(start), start, reach: { domains, ...paths } };
}

async function startOf(settings: ServerSettings, installed: string | undefined): Promise<ServerStart> {
  if (settings.kind === "http") return { url: settings.url, headers: namesOf(settings.headers) };
  const { argv, env } = settings;
  const files = await Promise.all(argv.filter((word) => path.isAbsolute(word)).map(fileDigest));
  return { argv, env: namesOf(env), files, installed };
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
