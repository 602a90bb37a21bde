/** False where nothing of the group is there to be signalled. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  return group > 1 && signalProcess(-group, signal);
}

/** False where it is not there to be signalled. */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
