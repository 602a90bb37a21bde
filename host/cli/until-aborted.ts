const longestMs = 2 ** 31 - 1;

/**
 * Resolves once the signal is aborted; until then the process runs on, though nothing else is due.
 */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  const alive = setInterval(() => {}, longestMs);
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  clearInterval(alive);
}
