/**
 * Resolves after so many milliseconds, or at once when `signal` is aborted; leaves no timer behind.
 */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, Math.min(ms, 0x7fff_ffff));
    signal.addEventListener("abort", done);
  });
}
