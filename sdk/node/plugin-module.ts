/**
 * Returns the module that a package.json names, by `exports` or else `main`, as plugins are loaded;
 * undefined if it names none.
 */
export function pluginModule({
  exports,
  main,
}: {
  readonly exports?: unknown;
  readonly main?: unknown;
}): string | undefined {
  const pick = (value: unknown): string | undefined => {
    if (typeof value === "string") return value;
    if (typeof value !== "object" || value === null) return undefined;
    const { ".": root, import: esm, node, default: other } = value as Record<string, unknown>;
    return pick(root) ?? pick(esm) ?? pick(node) ?? pick(other);
  };
  return pick(exports) ?? (typeof main === "string" ? main : undefined);
}
