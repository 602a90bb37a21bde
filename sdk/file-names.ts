/**
 * Returns a test of paths relative to the workspace against names as `secret_files` and `guarded_files` list them. A name
 * fits in any folder, with all that lies beneath it; `.git/hooks` fits two folders in a row, `*` any part of one. The last
 * name that fits decides, and one that begins with `!` takes the path out again. Letter case does not count, as on some disks.
 */
export function fileNames(names: readonly string[]): (relative: string) => boolean {
  const rules = names.map((name) => ({
    takes: !name.startsWith("!"),
    pattern: patternOf(name.replace(/^!/, "")),
  }));
  return (relative) => rules.findLast(({ pattern }) => pattern.test(relative))?.takes ?? false;
}

function patternOf(name: string): RegExp {
  const written = name
    .replace(/^\/+|\/+$/g, "")
    .replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replace(/\*+/g, "[^/]*");
  return new RegExp(`(?:^|/)${written}(?:/|$)`, "is");
}
