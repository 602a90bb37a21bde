import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import type { Upstream } from "@gantry/sdk";
import { errors } from "./errors.ts";

const MAX_BYTES = 64 * 1024 * 1024;

export interface Fetched {
  readonly bytes: Uint8Array;
  /** For the lock file: an address or a path. */
  readonly from: string;
  /** The package's name, where one was asked for by name. */
  readonly asked?: string;
}

interface Version {
  readonly dist?: { readonly tarball?: unknown; readonly integrity?: unknown };
}

/**
 * The registry that npm would ask: the flag, the environment, then the user's .npmrc. Throws
 * `PLUGINS_NO_REGISTRY`.
 */
export async function registryOf(flag: unknown, env: NodeJS.ProcessEnv): Promise<string> {
  const text = await readFile(path.join(homedir(), ".npmrc"), "utf8").catch(() => "");
  const written = /^\s*registry\s*=\s*(\S+)\s*$/m.exec(text)?.[1];
  const chosen = [flag, env["NPM_CONFIG_REGISTRY"], env["npm_config_registry"], written].find(
    (value) => typeof value === "string" && value !== "",
  );
  if (typeof chosen !== "string" || !/^https?:\/\//.test(chosen)) throw errors.PLUGINS_NO_REGISTRY();
  return chosen.replace(/\/+$/, "");
}

/**
 * One exact version by name, checked against the SHA-512 that the registry gives for it. `weather`
 * means gantry-plugin-weather first.
 */
export async function fetchPackage(
  upstream: Upstream,
  registry: string,
  spec: string,
  signal: AbortSignal,
): Promise<Fetched> {
  const [, given = "", wanted = "latest"] = /^(@?[^@]+)(?:@(.+))?$/.exec(spec) ?? [];
  const names =
    given.startsWith("@") || given.startsWith("gantry-plugin-") ? [given] : [`gantry-plugin-${given}`, given];
  for (const name of names) {
    const found = await get(upstream, `${registry}/${name.replace("/", "%2f")}`, signal);
    if (found.status === 404) continue;
    if (found.status !== 200) throw errors.PLUGINS_REGISTRY(name, `HTTP ${found.status}`);
    const { "dist-tags": tags = {}, versions = {} } = parse(name, found.bytes);
    const version = Object.hasOwn(versions, wanted) ? wanted : tags[wanted];
    const { tarball, integrity } =
      (version !== undefined && Object.hasOwn(versions, version) ? versions[version]?.dist : undefined) ?? {};
    if (typeof tarball !== "string") throw errors.PLUGINS_NO_VERSION(name, wanted);
    const promised =
      typeof integrity === "string"
        ? /(?:^|\s)(sha512-[A-Za-z0-9+/]{86}==)(?:\s|$)/.exec(integrity)?.[1]
        : undefined;
    if (!promised) throw errors.PLUGINS_NO_INTEGRITY(`${name} ${version}`);
    const { status, bytes } = await get(upstream, tarball, signal);
    if (status !== 200) throw errors.PLUGINS_REGISTRY(`${name} ${version}`, `HTTP ${status}`);
    if ((await integrityOf(bytes)) !== promised) throw errors.PLUGINS_INTEGRITY(`${name} ${version}`);
    return { bytes, from: tarball, asked: name };
  }
  throw errors.PLUGINS_REGISTRY(names.join(" or "), "HTTP 404");
}

export async function integrityOf(bytes: Uint8Array): Promise<string> {
  const { createHash } = await import("node:crypto");
  return `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
}

async function get(
  upstream: Upstream,
  url: string,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly bytes: Uint8Array }> {
  const { status, body } = await upstream.fetch({
    url,
    signal,
    maxBytes: MAX_BYTES,
    headers: { accept: "application/json, */*" },
  });
  const pieces: Uint8Array[] = [];
  for await (const piece of body ?? []) pieces.push(piece);
  return { status, bytes: Buffer.concat(pieces) };
}

interface Listing {
  readonly "dist-tags"?: Readonly<Record<string, string>>;
  readonly versions?: Readonly<Record<string, Version>>;
}

function parse(name: string, bytes: Uint8Array): Listing {
  try {
    const listing = JSON.parse(new TextDecoder().decode(bytes)) as Listing | null;
    if (typeof listing === "object" && listing !== null) return listing;
  } catch {
    // Said below.
  }
  throw errors.PLUGINS_REGISTRY(name, "its answer is no JSON object");
}
