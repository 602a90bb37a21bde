import { randomBytes } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { asError, folderHashes, npmInstall, printable } from "@gantry/sdk/node";
import { fileIn } from "../shared/file-in.ts";
import { putInPlace } from "../shared/put-in-place.ts";
import { acceptedFolder } from "./accepted.ts";
import { errors } from "./errors.ts";
import type { PackageSpec } from "./package-spec.ts";

interface Locked {
  readonly version?: unknown;
  readonly integrity?: unknown;
  readonly inBundle?: unknown;
  readonly hasInstallScript?: unknown;
}

/** The result of an installation. */
export interface Installed {
  /** The module to run, from the folder of the installation. */
  readonly entry: string;
  readonly integrity: string;
  /** The number of packages. */
  readonly count: number;
  /** Packages with scripts that npm would have run. */
  readonly withScripts: readonly string[];
}

/**
 * Installs a package and what it needs for a server, in place of an earlier one. No code of it
 * runs. `record` is called once all is there, and what it throws brings the earlier one back.
 * Throws MCP_NPM, MCP_PACKAGE_*.
 */
export async function installPackage(
  configDir: string,
  server: string,
  spec: PackageSpec,
  how: { readonly registry: string | undefined; readonly signal: AbortSignal },
  record: (installed: Installed) => Promise<void>,
): Promise<void> {
  const folder = acceptedFolder(configDir);
  const staging = path.join(folder, `.new-${randomBytes(6).toString("hex")}`);
  await mkdir(staging, { recursive: true, mode: 0o700 });
  try {
    // Its own, so that npm takes no folder above for the project.
    await writeFile(path.join(staging, "package.json"), '{ "private": true }\n');
    const what = `${spec.name}@${spec.version}`;
    await npmInstall(what, { folder: staging, ...how }).catch((error: unknown) => {
      how.signal.throwIfAborted();
      throw errors.MCP_NPM(what, asError(error).message);
    });
    const installed = await look(spec, staging);
    await putInPlace(folder, server, staging, () => record(installed));
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Throws MCP_PACKAGE_REFUSED for whatever is not, byte for byte, what the registry promised. */
async function look(spec: PackageSpec, folder: string): Promise<Installed> {
  const refused = (why: string): Error =>
    errors.MCP_PACKAGE_REFUSED(`${spec.name}@${spec.version}`, printable(why, 200));
  const inside = `node_modules/${spec.name}`;
  const { packages = {} } = JSON.parse(await readFile(path.join(folder, "package-lock.json"), "utf8")) as {
    readonly packages?: Readonly<Record<string, Locked>>;
  };
  const all = Object.entries(packages).filter(([at]) => at !== "");
  const loose = all.find(([, { integrity, inBundle }]) => !isPromised(integrity) && inBundle !== true);
  if (loose) throw refused(`the registry gives no SHA-512 for ${loose[0]}`);
  const own = packages[inside];
  if (own?.version !== spec.version) throw refused("npm installed another version");
  const links = [...(await folderHashes(folder))].filter(([, hash]) => hash === "link");
  if (links.length > 0) throw refused(`${links[0]![0]} is neither a file nor a folder`);
  const entry = await entryOf(path.join(folder, inside), spec, refused);
  return {
    entry: path.join(inside, entry),
    integrity: String(own.integrity),
    count: all.length,
    withScripts: all.flatMap(([at, { hasInstallScript }]) =>
      hasInstallScript === true ? [at.replace(/^.*node_modules\//, "")] : [],
    ),
  };
}

function isPromised(integrity: unknown): boolean {
  return typeof integrity === "string" && /(?:^|\s)sha512-[A-Za-z0-9+/]{86}==(?:\s|$)/.test(integrity);
}

/**
 * Returns the one program of a package, or of several the one that is named after it, as npm itself
 * would choose.
 */
async function entryOf(
  folder: string,
  { name }: PackageSpec,
  refused: (why: string) => Error,
): Promise<string> {
  const { bin } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8")) as {
    readonly bin?: string | Readonly<Record<string, string>>;
  };
  const programs = typeof bin === "string" ? { [name]: bin } : Object(bin);
  const files = [...new Set(Object.values(programs as Record<string, unknown>))];
  const own: unknown = (programs as Record<string, unknown>)[name.replace(/^@[^/]+\//, "")];
  const chosen = files.length === 1 ? files[0] : own;
  if (files.length === 0) throw refused("its package.json names no program in `bin`");
  if (typeof chosen !== "string") throw refused("it has several programs and none is named after it");
  const file = await fileIn(folder, chosen);
  if (file === undefined) throw refused(`its program ${chosen} is not a file in it`);
  const [first = ""] = (await readFile(file, "utf8")).split("\n", 1);
  if (!/\.[cm]?js$/.test(file) && !/^#!.*\bnode\b/.test(first))
    throw refused(`its program ${chosen} is not a script for Node`);
  return path.relative(folder, path.resolve(folder, chosen));
}
