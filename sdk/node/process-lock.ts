import { randomBytes } from "node:crypto";
import { readFileSync, utimesSync } from "node:fs";
import { link, mkdir, readFile, rm, rmdir, stat, unlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { makeDir } from "./make-dir.ts";
import { identity, place } from "./process-identity.ts";

/** So often a holder touches its lock, for those who cannot see its process. */
const beatMs = 4_000;
/** Nothing was heard of a holder for so long: it is gone. */
const silenceMs = 3 * beatMs;

/**
 * A file that one process holds at a time. It names its holder, so one left by a killed process is
 * known as such; in another container, whose processes have no number here, a holder is known by
 * its touching the file.
 */
export class ProcessLock {
  readonly #file: string;
  readonly #holder: string;
  readonly #beat: NodeJS.Timeout;
  #isLost = false;

  private constructor(file: string, holder: string, onLost: () => void) {
    this.#file = file;
    this.#holder = holder;
    this.#beat = setInterval(() => this.#touch(onLost), beatMs).unref();
  }

  /**
   * Throws what `busy` makes of the holder's id if a live process holds it. `onLost` is called if
   * another one has taken the lock since, as from a process that was stopped for long.
   */
  static async take(
    file: string,
    busy: (pid: number) => Error,
    onLost: () => void = () => {},
  ): Promise<ProcessLock> {
    makeDir(path.dirname(file));
    const mine = `${file}.${process.pid}-${randomBytes(4).toString("hex")}`;
    const holder = identity(process.pid);
    try {
      await writeFile(mine, holder, { mode: 0o600 });
      for (;;) {
        try {
          // A link appears whole or not at all, so a lock never lacks its holder's name.
          await link(mine, file);
          return new ProcessLock(file, holder, onLost);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
        }
        const other = await readFile(file, "utf8").catch(() => "");
        if (await isAlive(file, other)) throw busy(Number.parseInt(other, 10));
        await removeLeft(file, other);
      }
    } finally {
      await rm(mine, { force: true });
    }
  }

  /**
   * Returns the process of this machine or container that holds the lock; undefined if none that
   * lives does.
   */
  static async holder(file: string): Promise<number | undefined> {
    const holder = await readFile(file, "utf8").catch(() => "");
    const pid = Number.parseInt(holder, 10);
    return pid > 0 && identity(pid) === holder ? pid : undefined;
  }

  /**
   * Returns the process that holds the lock if it is not this one, and in whatever container it
   * runs. Waits up to 12 s for a sign of one that has no number here.
   */
  static async otherHolder(file: string): Promise<number | undefined> {
    const holder = await readFile(file, "utf8").catch(() => "");
    const touched = await touchOf(file);
    const sign = `${holder} ${touched}`;
    if (holder === identity(process.pid) || silent.get(file) === sign) return undefined;
    const isOld = Date.now() - touched > forgottenMs && placeOf(holder) !== place;
    if (!isOld && (await isAlive(file, holder))) return Number.parseInt(holder, 10);
    silent.set(file, sign);
    return undefined;
  }

  async release(): Promise<void> {
    clearInterval(this.#beat);
    const holder = await readFile(this.#file, "utf8").catch(() => "");
    if (holder === this.#holder) await rm(this.#file, { force: true });
  }

  /** In one go: by way of threads, each beat would wake an idle process six times. */
  #touch(onLost: () => void): void {
    const now = new Date();
    try {
      if (readFileSync(this.#file, "utf8") === this.#holder) return utimesSync(this.#file, now, now);
    } catch {
      // The next beat tries again.
      return;
    }
    if (this.#isLost) return;
    this.#isLost = true;
    clearInterval(this.#beat);
    onLost();
  }
}

/** The last sign of a holder, by the file of its lock, after which none came in time. */
const silent = new Map<string, string>();
/**
 * A lock without a touch for so long is not waited for, whatever the clock was set to meanwhile.
 */
const forgottenMs = 60_000;

/** Returns the machine and the space of process numbers that a holder runs in. */
function placeOf(holder: string): string {
  return holder.split(" ")[2] ?? place;
}

/**
 * A holder of this place by its number; one of another container by its touch, which is waited for.
 */
async function isAlive(file: string, holder: string): Promise<boolean> {
  const [pid = ""] = holder.split(" ");
  if (!(Number(pid) > 0)) return false;
  if (placeOf(holder) === place) return identity(Number(pid)) === holder;
  const touched = await touchOf(file);
  for (const until = performance.now() + silenceMs; performance.now() < until;) {
    await new Promise((resolve) => setTimeout(resolve, beatMs / 8));
    if ((await touchOf(file)) !== touched) return (await readFile(file, "utf8").catch(() => "")) === holder;
  }
  return false;
}

async function touchOf(file: string): Promise<number> {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

/** Nobody takes so long to remove one file. */
const removingMs = 10_000;

/**
 * Removes what a holder that is gone has left. One process does so at a time, so that none removes
 * the lock of who came after.
 */
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
