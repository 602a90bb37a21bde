const newline = 10;

/**
 * Yields bytes as they come, but for what a line has beyond `most` bytes: that is dropped up to the
 * end of the line, so that its reader finds no whole message there.
 */
export async function* wholeLines(
  pieces: AsyncIterable<Uint8Array>,
  most: number,
): AsyncGenerator<Uint8Array, void> {
  let length = 0;
  for await (const piece of pieces) {
    let from = 0;
    while (from < piece.length) {
      const end = piece.indexOf(newline, from);
      const next = end < 0 ? piece.length : end + 1;
      const room = Math.max(0, most - length);
      length += next - from;
      if (next - from <= room) yield piece.subarray(from, next);
      else {
        if (room > 0) yield piece.subarray(from, from + room);
        if (end >= 0) yield piece.subarray(end, next);
      }
      if (end >= 0) length = 0;
      from = next;
    }
  }
}
