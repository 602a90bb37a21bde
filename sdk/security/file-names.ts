import { secretFileNames, secretFolderNames } from "./secret-names.ts";

/** Names that editors, and programs that save in one step, give to a copy beside a file. */
const COPIES = [
  /^(.+)~$/,
  /^\.?#(.+?)#?$/,
  /^\.(.+)\.sw[a-p]$/,
  /^\.(.+)\.[A-Za-z\d]{6}$/,
  /^(.+?)(?:\.(?:bak|old|orig|save|tmp[^/]*|\d{3,})|___jb_(?:tmp|old)___)$/,
];

/** Guards, tools and walls test the same long lists. */
const patterns = new Map<string, RegExp>();
const mostPatterns = 64;

interface Rule {
  readonly takes: boolean;
  readonly pattern: RegExp;
  /** True if no folder fits. */
  readonly ofFiles?: boolean;
}

/** A test of paths relative to the workspace; `isFolder`: what stands there is one. */
export type NameTest = (relative: string, isFolder?: boolean) => boolean;

/**
 * Returns a test of paths relative to the workspace against names as `secret_files` and
 * `guarded_files` list them. A name fits in any folder, with all that lies beneath it; `.git/hooks`
 * fits two folders in a row, `*` any part of one. The last name that fits decides, and one that
 * begins with `!` takes the path out again. Letter case does not count, as on some disks. `copies`:
 * what stands beside a file while it is saved, and after, counts as the file.
 */
export function fileNames(
  names: readonly string[],
  { copies = false }: { readonly copies?: boolean } = {},
): NameTest {
  return testOf(listed(names), copies);
}

/**
 * Returns the test of what is secret: the names that hold credentials by custom, then those of
 * `secret_files`, whose `!` takes out of the former too. Copies count.
 */
export function secretFiles(names: readonly string[]): NameTest {
  const files = { takes: true, pattern: patternOf(secretFileNames, "$"), ofFiles: true };
  return testOf([files, ...listed(secretFolderNames), ...listed(names)], true);
}

function testOf(rules: readonly Rule[], copies: boolean): NameTest {
  const fits: NameTest = (relative, isFolder) =>
    rules.findLast(({ pattern, ofFiles }) => !(isFolder && ofFiles) && pattern.test(relative))?.takes ??
    false;
  if (!copies) return fits;
  return (relative, isFolder) =>
    fits(relative, isFolder) || originals(relative).some((original) => fits(original, isFolder));
}

/** Names in a row that do the same are one rule: each look tests every entry of a workspace. */
function listed(names: readonly string[]): readonly Rule[] {
  const rows: { takes: boolean; names: string[] }[] = [];
  for (const name of names) {
    const takes = !name.startsWith("!");
    if (rows.at(-1)?.takes !== takes) rows.push({ takes, names: [] });
    rows.at(-1)!.names.push(name.replace(/^!/, ""));
  }
  return rows.map((row) => ({ takes: row.takes, pattern: patternOf(row.names, "(?:/|$)") }));
}

function originals(relative: string): readonly string[] {
  const name = relative.slice(relative.lastIndexOf("/") + 1);
  const folder = relative.slice(0, relative.length - name.length);
  return COPIES.flatMap((copy) => copy.exec(name)?.[1] ?? []).map((original) => folder + original);
}

function patternOf(names: readonly string[], end: string): RegExp {
  const key = `${names.join("\n")}\n${end}`;
  const known = patterns.get(key);
  if (known) return known;
  const written = names.map((name) =>
    name
      .replace(/^\/+|\/+$/g, "")
      .replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
      .replace(/\*+/g, "[^/]*"),
  );
  const made = new RegExp(`(?:^|/)(?:${written.join("|")})${end}`, "is");
  if (patterns.size < mostPatterns) patterns.set(key, made);
  return made;
}
