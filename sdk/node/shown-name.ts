/**
 * Returns a name as a question shows it: quoted unless each of its characters is plain, so that it
 * cannot pass for words.
 */
export function shownName(name: string): string {
  return /^[\p{L}\p{N}_./@+~=,%-]+$/u.test(name) ? name : JSON.stringify(name);
}
