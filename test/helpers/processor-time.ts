/**
 * Milliseconds of processor time that this process takes for `work`; what a busy machine makes it
 * wait for does not count.
 */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
