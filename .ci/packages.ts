import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

export const root = path.join(import.meta.dirname, "..");
const require = createRequire(path.join(root, "host/package.json"));
const cache = path.join(root, "node_modules/.cache/packages");

export function readJson(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
}

/** The folder of an installed package, as the host resolves it. */
export function packageFolder(name: string): string {
  let at = path.dirname(require.resolve(name));
  while (!existsSync(path.join(at, "package.json"))) at = path.dirname(at);
  return at;
}

/**
 * The folder of a package for another platform than this one, in the version of the lock file and
 * with the content that it names; fetched once.
 */
export function lockedPackage(name: string): string {
  const installed = path.join(root, "node_modules", name);
  if (existsSync(installed)) return installed;
  const { packages } = readJson(path.join(root, "package-lock.json")) as {
    packages: Record<string, { version: string; integrity: string } | undefined>;
  };
  const locked = packages[`node_modules/${name}`];
  if (!locked) throw new Error(`package-lock.json does not hold ${name}: npm install --package-lock-only`);
  const folder = path.join(cache, `${name.replace("/", "+")}-${locked.version}`);
  if (!existsSync(folder)) fetchPackage(`${name}@${locked.version}`, locked.integrity, folder);
  return path.join(folder, "package");
}

function fetchPackage(wanted: string, integrity: string, folder: string): void {
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(path.join(cache, "fetch-"));
  try {
    const said = execFileSync("npm", ["pack", wanted, "--json", "--pack-destination", draft], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    const tarball = path.join(draft, /"filename":\s*"([^"]+)"/.exec(said)?.[1] ?? "");
    const [algorithm = "", expected] = integrity.split(/-(.*)/s);
    const found = createHash(algorithm).update(readFileSync(tarball)).digest("base64");
    if (found !== expected) throw new Error(`${wanted} is not what package-lock.json names`);
    execFileSync("tar", ["-xzf", tarball, "-C", draft]);
    rmSync(tarball);
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
