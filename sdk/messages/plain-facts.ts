/**
 * Returns a file's name on one line: without a path, control characters or a bracket that could end
 * the line it stands in; may be empty.
 */
export function plainFileName(name: string): string {
  return name
    .replace(/^.*[/\\]/s, "")
    .replace(/[\p{C}\p{Zl}\p{Zp}[\]]+/gu, "_")
    .slice(0, 120);
}

/**
 * Returns a media type in lower case; `application/octet-stream` for whatever is not a media type.
 */
export function plainMime(mime: string): string {
  const type = mime.toLowerCase();
  const known = /^[a-z0-9][a-z0-9.+-]*\/[a-z0-9][a-z0-9.+-]*$/.test(type) && type.length <= 100;
  return known ? type : "application/octet-stream";
}
