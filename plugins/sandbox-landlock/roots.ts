/** True where `path` is one of the roots or lies beneath one. All are real, absolute paths. */
export function isBeneath(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => path === root || path.startsWith(root === "/" ? "/" : `${root}/`));
}
