/**
 * Returns the paths that a path could be taken for further on: decoded once or twice, with
 * look-alikes of `/` and `.` as such.
 */
export function spellings(path: string): ReadonlySet<string> {
  const all = new Set([path]);
  let decoded = path;
  for (let i = 0; i < 3 && decoded.includes("%"); i++) {
    decoded = decoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    all.add(decoded);
  }
  // Overlong UTF-8 of the slash and the dot, as some decoders take it.
  if (decoded !== path)
    all.add(
      decoded
        .replace(/\u00c0\u00af|\u00e0\u0080\u00af/g, "/")
        .replace(/\u00c0\u00ae|\u00e0\u0080\u00ae/g, "."),
    );
  for (const one of Array.from(all)) {
    if (/[^\x20-\x7e]|\\/.test(one)) all.add(plain(one));
  }
  return all;
}

function plain(path: string): string {
  return path
    .normalize("NFKC")
    .replace(/[\u2044\u2215\u29f8\u29f5\u2571\u{1f67c}\\]/gu, "/")
    .replace(/[\u2024\u00b7\u3002]/g, ".")
    .replace(/[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, "");
}
