const plain = /^(?:\/[\w~!$&'()*+,=:@-][\w.~!$&'()*+,=:@-]*)+$/;

/**
 * Returns true for the one way to write a path: no empty or dotted segment, nothing escaped that
 * need not be, nothing escaped twice.
 */
export function isCanonicalPath(path: string): boolean {
  if (path === "/" || plain.test(path)) return true;
  return path.startsWith("/") && path.slice(1).split("/").every(isCanonicalSegment);
}

function isCanonicalSegment(segment: string): boolean {
  let text: string;
  try {
    text = decodeURIComponent(segment);
  } catch {
    return false;
  }
  if (
    text === "" ||
    text === "." ||
    text === ".." ||
    text !== text.trim() ||
    // oxlint-disable-next-line no-control-regex
    /[/\\%?#;\u0000-\u001f\u007f]/.test(text)
  )
    return false;
  return encodeURIComponent(text).replace(/%(?:2[4689BC]|3[AD]|40)/g, decodeURIComponent) === segment;
}

/** Returns the path of a request line, without its query. */
export function pathOf(url: string): string {
  const end = url.indexOf("?");
  return end === -1 ? url : url.slice(0, end);
}
