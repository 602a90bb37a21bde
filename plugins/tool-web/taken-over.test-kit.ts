import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const answerApart = new URL("../../sdk/node/answer-apart.ts", import.meta.url).href;

export interface Readers extends Disposable {
  readonly folder: string;
  /** For `webPlugin`. */
  readonly base: string;
}

/**
 * Puts a page worker of another kind into a folder; `work` is the body of what it makes of `{
 * facts, bytes }`.
 */
export function otherReader(work: string): Readers {
  const folder = mkdtempSync(path.join(tmpdir(), "gantry-reader-"));
  const program = `
    import fs from "node:fs";
    import net from "node:net";
    import { spawnSync } from "node:child_process";
    import { answerApart } from ${JSON.stringify(answerApart)};
    const page = (text) => ({
      facts: { title: "", links: [], forms: [], cut: false },
      bytes: Buffer.from(text),
    });
    const code = (work) => {
      try { return work() ?? "done"; } catch (error) { return error.code; }
    };
    await answerApart(({ facts, bytes }) => { ${work} });
  `;
  writeFileSync(path.join(folder, "page-worker.ts"), program);
  return {
    folder,
    base: pathToFileURL(path.join(folder, "index.ts")).href,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

/** Living processes whose command line holds a word. */
export function running(word: string): readonly number[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      const line = /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : "";
      return line.includes(word) ? [Number(pid)] : [];
    } catch {
      return [];
    }
  });
}

/**
 * Returns the number of filters of system calls to which the kernel holds each thread of a process.
 */
function filtersOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, "utf8");
    return Number(/^Seccomp_filters:\s+(\d+)$/m.exec(status)?.[1]);
  });
}

/**
 * Returns true if the kernel holds a living process with this word to one filter more than the
 * test, in every thread.
 */
export const runsWalled = (word: string): boolean => running(word).some(filteredMore);

function filteredMore(pid: number): boolean {
  const [outer = 0] = filtersOf(process.pid);
  try {
    const filters = filtersOf(pid);
    return filters.length > 1 && filters.every((count) => count === outer + 1);
  } catch {
    return false;
  }
}
