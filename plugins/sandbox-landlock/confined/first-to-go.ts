import { openSync, readFileSync, writeFileSync, writeSync } from "node:fs";

const FILE = "/proc/self/oom_score_adj";
const MOST = "1000";

/**
 * Returns a function that has the kernel end all that is started in it first if memory runs out,
 * before this process, which shares the group's memory with it. Opened before the walls stand.
 */
export function firstToGo(): <T>(start: () => T) => T {
  const own = readFileSync(FILE, "latin1").trim();
  const fd = openSync(FILE, "r+");
  return (start) => {
    writeSync(fd, MOST, 0);
    try {
      return start();
    } finally {
      writeSync(fd, own, 0);
    }
  };
}

/** Lets this process itself go first, before any run. */
export function goFirst(): void {
  writeFileSync(FILE, MOST);
}
