/**
 * Does work during which what anybody writes to stdout goes to stderr; who took
 * `process.stdout.write` before writes to stdout all the same.
 */
export async function stdoutAside<T>(work: () => Promise<T>): Promise<T> {
  const { stdout, stderr } = process;
  const { write } = stdout;
  stdout.write = stderr.write.bind(stderr) as typeof write;
  return work().finally(() => {
    stdout.write = write;
  });
}
