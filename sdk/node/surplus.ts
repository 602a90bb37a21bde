/**
 * Returns the entries that make room if more than `most` are kept: always the oldest of whoever
 * holds the most, so that nobody drives out what another keeps. `entries` stand in the order in
 * which they came.
 */
export function surplus<Entry extends { readonly user: string }>(
  entries: readonly Entry[],
  most: number,
): readonly Entry[] {
  const held = Object.values(Object.groupBy(entries, ({ user }) => user)).map((theirs = []) => [...theirs]);
  const gone: Entry[] = [];
  for (let left = entries.length; left > Math.max(0, most); left -= 1) {
    const fullest = held.reduce((a, b) => (b.length > a.length ? b : a));
    gone.push(fullest.shift()!);
  }
  return gone;
}
