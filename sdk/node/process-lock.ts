import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, rmdir, stat, unlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { makeDir } from "./make-dir.ts";

/** A file that one process holds at a time. It names its holder, so one left by a killed process is known as such. */
export class ProcessLock {
  readonly #file: string;

  private constructor(file: string) {
    this.#file = file;
  }

  /** Throws what `busy` makes of the holder's id where a live process holds it. */
  static async take(file: string, busy: (pid: number) => Error): Promise<ProcessLock> {
    makeDir(path.dirname(file));
    const mine = `${file}.${process.pid}-${randomBytes(4).toString("hex")}`;
    try {
      await writeFile(mine, await identity(process.pid), { mode: 0o600 });
      for (;;) {
        try {
          // A link appears whole or not at all, so a lock never lacks its holder's name.
          await link(mine, file);
          return new ProcessLock(file);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
        }
        const holder = await readFile(file, "utf8").catch(() => "");
        const pid = Number.parseInt(holder, 10);
        if (pid > 0 && (await identity(pid)) === holder) throw busy(pid);
        await removeLeft(file, holder);
      }
    } finally {
      await rm(mine, { force: true });
    }
  }

  /** The process that holds the lock; undefined where none that lives does. */
  static async holder(file: string): Promise<number | undefined> {
    const holder = await readFile(file, "utf8").catch(() => "");
    const pid = Number.parseInt(holder, 10);
    return pid > 0 && (await identity(pid)) === holder ? pid : undefined;
  }

  async release(): Promise<void> {
    await rm(this.#file, { force: true });
  }
}

/** Nobody takes so long to remove one file. */
const removingMs = 10_000;

/** Removes what a holder that is gone has left. One process does so at a time, so that none removes the lock of who came after. */
async function removeLeft(file: string, holder: string): Promise<void> {
  const removing = `${file}.removing`;
  try {
    await mkdir(removing);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const since = await stat(removing).then(
      ({ mtimeMs }) => mtimeMs,
      () => Date.now(),
    );
    if (Date.now() - since > removingMs) await rmdir(removing).catch(() => {});
    return new Promise((resolve) => setTimeout(resolve, 5));
  }
  try {
    if ((await readFile(file, "utf8").catch(() => undefined)) === holder) await unlink(file);
  } finally {
    await rmdir(removing);
  }
}

/** `<pid> <start time>`: a number that was given to another process since is not mistaken for the holder. Empty where there is none. */
async function identity(pid: number): Promise<string> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return "";
  }
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields[0] === "Z") return "";
  return `${pid} ${fields[19] ?? ""}`;
}
