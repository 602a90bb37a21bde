/** What editors, and programs that save in one step, call what they write beside a file. */
const COPIES = [
  /^(.+)~$/,
  /^\.?#(.+?)#?$/,
  /^\.(.+)\.sw[a-p]$/,
  /^\.(.+)\.[A-Za-z\d]{6}$/,
  /^(.+?)(?:\.(?:bak|old|orig|save|tmp[^/]*|\d{3,})|___jb_(?:tmp|old)___)$/,
];

/**
 * Returns a test of paths relative to the workspace against names as `secret_files` and `guarded_files` list them. A name
 * fits in any folder, with all that lies beneath it; `.git/hooks` fits two folders in a row, `*` any part of one. The last
 * name that fits decides, and one that begins with `!` takes the path out again. Letter case does not count, as on some disks.
 * `copies`: what stands beside a file while it is saved, and after, counts as the file.
 */
export function fileNames(
  names: readonly string[],
  { copies = false }: { readonly copies?: boolean } = {},
): (relative: string) => boolean {
  const rules = names.map((name) => ({
    takes: !name.startsWith("!"),
    pattern: patternOf(name.replace(/^!/, "")),
  }));
  const fits = (relative: string): boolean =>
    rules.findLast(({ pattern }) => pattern.test(relative))?.takes ?? false;
  return copies ? (relative) => fits(relative) || originals(relative).some(fits) : fits;
}

function originals(relative: string): readonly string[] {
  const name = relative.slice(relative.lastIndexOf("/") + 1);
  const folder = relative.slice(0, relative.length - name.length);
  return COPIES.flatMap((copy) => copy.exec(name)?.[1] ?? []).map((original) => folder + original);
}

function patternOf(name: string): RegExp {
  const written = name
    .replace(/^\/+|\/+$/g, "")
    .replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replace(/\*+/g, "[^/]*");
  return new RegExp(`(?:^|/)${written}(?:/|$)`, "is");
}
