/** The exit code with which a watched process asks to be started again. */
export const againCode = 75;

/**
 * Aborted when the watching parent asks this process to end at the next good moment. Never, where
 * nobody watches.
 */
export function restartAsked(): AbortSignal {
  const asked = new AbortController();
  if (process.channel) {
    process.on("message", () => {
      process.send?.("heard");
      asked.abort();
    });
    process.channel.unref();
  }
  return asked.signal;
}
