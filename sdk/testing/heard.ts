const events = ["uncaughtException", "unhandledRejection"] as const;

/**
 * Runs `work` and returns what was thrown meanwhile while nobody waited; nobody else hears of it.
 */
export async function heard(work: () => Promise<void>, afterMs: number = 30): Promise<readonly Error[]> {
  const errors: Error[] = [];
  const hear = (thrown: unknown): void =>
    void errors.push(thrown instanceof Error ? thrown : new Error(String(thrown)));
  const others = events.map((event) => [event, process.listeners(event as "uncaughtException")] as const);
  for (const event of events) process.removeAllListeners(event).on(event, hear);
  try {
    await work();
    await new Promise((resolve) => setTimeout(resolve, afterMs));
  } finally {
    for (const [event, listeners] of others) {
      process.removeAllListeners(event);
      for (const listener of listeners) process.on(event, listener);
    }
  }
  return errors;
}
