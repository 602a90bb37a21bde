/** Returns the median, the 90th percentile and the most of some lengths. */
export function spread(lengths: readonly number[]): string {
  const sorted = lengths.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  return `${at(0.5)} / ${at(0.9)} / ${at(1)}`;
}
