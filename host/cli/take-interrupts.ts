/** Has Ctrl-C call `on` alone; gives the function that gives it back to who had it before. */
export function takeInterrupts(on: () => void): () => void {
  const before = process.listeners("SIGINT");
  process.removeAllListeners("SIGINT");
  process.on("SIGINT", on);
  return () => {
    if (!process.listeners("SIGINT").includes(on)) return;
    process.off("SIGINT", on);
    for (const listener of before) process.on("SIGINT", listener);
  };
}
