import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * A release that differs from a packed one in its version and in the names of its parts, as each
 * later build may; gives its package file, in `folder`. `edit` may change more of what it holds.
 */
export function nextRelease(
  packedFile: string,
  folder: string,
  version: string,
  edit: (release: string) => void = () => {},
): string {
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["-xzf", packedFile, "-C", folder]);
  const at = path.join(folder, "package");
  const built = path.join(at, "dist/package");
  const [older = ""] = readdirSync(built).filter((name) => /^\d.*-[0-9a-f]{16}$/.test(name));
  const newer = `${version}-${"0123456789abcdef".slice(0, 16)}`;
  renameSync(path.join(built, older), path.join(built, newer));
  const parts = readdirSync(path.join(built, newer)).filter((name) => /-[\w-]{8}\.js$/.test(name));
  const names = new Map(
    parts.map((name) => [name, name.replace(/-[\w-]{8}\.js$/, (end) => `-Z${end.slice(2)}`)]),
  );
  for (const [before, after] of names)
    renameSync(path.join(built, newer, before), path.join(built, newer, after));
  const list = readdirSync(built, { recursive: true, encoding: "utf8" }).map((name) =>
    path.join(built, name),
  );
  for (const file of [...list, path.join(at, "package.json")].filter((name) => /\.(?:js|json)$/.test(name))) {
    const code = readFileSync(file, "utf8");
    const said = code
      .replaceAll(older, newer)
      .replace(/(?<=[`"'])0\.1\.0(?=[`"'\n])/g, version)
      .replace(/[\w.-]+-[\w-]{8}\.js/g, (name) => names.get(name) ?? name);
    if (said !== code) writeFileSync(file, said);
  }
  edit(path.join(built, newer));
  const file = path.join(folder, `gantry-${version}.tgz`);
  execFileSync("tar", ["-czf", file, "-C", folder, "package"]);
  rmSync(at, { recursive: true });
  return file;
}
