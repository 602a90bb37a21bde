/** A duration, and the amount of data that it took. */
export interface Sample {
  /** The amount of data: sessions, messages, files. */
  readonly size: number;
  /** In any unit, above 0. */
  readonly took: number;
}

/**
 * Returns the exponent of the power law that fits best: 0 for what does not grow, 1 for what grows
 * as its size does. Throws for fewer than two sizes.
 */
export function exponent(samples: readonly Sample[]): number {
  const points = samples.map(({ size, took }) => [Math.log(size), Math.log(took)] as const);
  const mean = (at: 0 | 1): number => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const spread = points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
  if (!(spread > 0)) throw new Error("An exponent needs samples of two sizes at least.");
  return points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0) / spread;
}
