/**
 * Returns the value of `work`, or throws the error of `late` once `ms` milliseconds have passed;
 * the work itself is not stopped.
 */
export async function withTimeout<T>(ms: number, work: T | PromiseLike<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
