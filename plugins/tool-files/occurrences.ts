/**
 * Gives every index at which `wanted` begins in `within`, overlapping ones too, in time that grows
 * with the sum of both lengths whatever they hold.
 */
export function* occurrences<T>(within: ArrayLike<T>, wanted: ArrayLike<T>): Generator<number, void> {
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let at = 0; at < within.length; at++) {
    while (matched > 0 && within[at] !== wanted[matched]) matched = borders[matched - 1]!;
    if (within[at] === wanted[matched]) matched++;
    if (matched < wanted.length) continue;
    yield at + 1 - wanted.length;
    matched = borders[matched - 1]!;
  }
}

/** For each beginning of `wanted`, how long the longest shorter beginning is with which it ends. */
function bordersOf<T>(wanted: ArrayLike<T>): Uint32Array {
  const borders = new Uint32Array(wanted.length);
  let matched = 0;
  for (let at = 1; at < wanted.length; at++) {
    while (matched > 0 && wanted[at] !== wanted[matched]) matched = borders[matched - 1]!;
    if (wanted[at] === wanted[matched]) matched++;
    borders[at] = matched;
  }
  return borders;
}
