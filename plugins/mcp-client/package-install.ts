import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { folderHashes, printable } from "@gantry/sdk/node";
import { fileIn } from "../shared/file-in.ts";
import { putInPlace } from "../shared/put-in-place.ts";
import { acceptedFolder } from "./accepted.ts";
import { errors } from "./errors.ts";
import type { PackageSpec } from "./package-spec.ts";

const TIME_MS = 10 * 60_000;
const MAX_SAID = 1 << 20;
/** What npm may not do, whatever its settings say: run code of a package, or fetch from elsewhere than a registry. */
const NEVER = ["--ignore-scripts", "--allow-git=none", "--allow-remote=none", "--allow-file=none"];
const QUIETLY = ["--global=false", "--omit=dev", "--no-bin-links", "--no-audit", "--no-fund"];

interface Locked {
  readonly version?: unknown;
  readonly integrity?: unknown;
  readonly inBundle?: unknown;
  readonly hasInstallScript?: unknown;
}

/** What was installed. */
export interface Installed {
  /** The module to run, from the folder of the installation. */
  readonly entry: string;
  readonly integrity: string;
  /** How many packages. */
  readonly count: number;
  /** Packages with scripts that npm would have run. */
  readonly withScripts: readonly string[];
}

/**
 * Installs a package and what it needs for a server, in place of an earlier one. No code of it runs.
 * `record` is called once all is there, and what it throws brings the earlier one back. Throws MCP_NPM, MCP_PACKAGE_*.
 */
export async function installPackage(
  configDir: string,
  server: string,
  spec: PackageSpec,
  how: { readonly registry: unknown; readonly signal: AbortSignal },
  record: (installed: Installed) => Promise<void>,
): Promise<void> {
  const folder = acceptedFolder(configDir);
  const staging = path.join(folder, `.new-${randomBytes(6).toString("hex")}`);
  await mkdir(staging, { recursive: true, mode: 0o700 });
  try {
    // Its own, so that npm takes no folder above for the project.
    await writeFile(path.join(staging, "package.json"), '{ "private": true }\n');
    await runNpm(spec, staging, how);
    const installed = await look(spec, staging);
    await putInPlace(folder, server, staging, () => record(installed));
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Runs npm with the settings of its user. */
async function runNpm(
  { name, version }: PackageSpec,
  cwd: string,
  { registry, signal }: { readonly registry: unknown; readonly signal: AbortSignal },
): Promise<void> {
  const from = typeof registry === "string" ? [`--registry=${registry}`] : [];
  const what = `${name}@${version}`;
  const args = ["install", ...NEVER, ...QUIETLY, "--save-exact", ...from, "--", what];
  const options = { cwd, signal, timeout: TIME_MS, maxBuffer: MAX_SAID };
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  execFile("npm", args, options, (error, _out, said) => {
    if (!error) return resolve();
    if (signal.aborted) return reject(signal.reason as Error);
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    reject(errors.MCP_NPM(what, isMissing ? "npm is not on the PATH" : reasonIn(said)));
  });
  await promise;
}

/** Returns the first lines that say why, without npm's own words around them. */
function reasonIn(said: string): string {
  const lines = said.split("\n").flatMap((line) => /^npm (?:error|ERR!) (.+)$/.exec(line)?.[1] ?? []);
  const telling = lines.filter((line) => !/^(?:code|errno|A complete log)\b/.test(line));
  return printable(telling.slice(0, 3).join(" "), 300) || "npm did not say why, or took too long";
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

/** Returns the one program of a package, or of several the one that is named after it, as npm itself would choose. */
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
