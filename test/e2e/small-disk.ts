import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

/** A place whose space can be taken away and given back while a process uses it. */
export interface SmallDisk {
  readonly dir: string;
  fill(pid: number): void;
  free(pid: number): void;
  remove(): void;
}

/** Mounts a file system of its own below `parent`; undefined if this user may not mount one. */
export function mountDisk(parent: string, mib = 24): SmallDisk | undefined {
  const dir = path.join(parent, "disk");
  const balloon = path.join(dir, "balloon");
  mkdirSync(dir);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${mib}m,mode=0700`, "tmpfs", dir], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  return {
    dir,
    fill() {
      for (let size = 1_048_576; size >= 1; size = Math.floor(size / 16)) blow(balloon, size);
    },
    free: () => rmSync(balloon, { force: true }),
    remove: () => execFileSync("umount", ["-l", dir]),
  };
}

/** A disk that the kernel lets nobody write any more, as it does with one that fails. */
export interface BrittleDisk {
  readonly dir: string;
  breaks(): void;
  /** Nothing may use it. */
  isMended(): void;
  remove(): void;
}

/**
 * Mounts a file system of its own in a file below `parent`; undefined if this user may not mount
 * one.
 */
export function brittleDisk(parent: string): BrittleDisk | undefined {
  const [dir, image] = [path.join(parent, "brittle"), path.join(parent, "brittle.img")];
  const mount = (): void => {
    run("mount", "-t", "ext4", "-o", "loop,errors=remount-ro", image, dir);
    chmodSync(dir, 0o700);
  };
  mkdirSync(dir);
  try {
    run("truncate", "-s", "256M", image);
    run("mkfs.ext4", "-q", "-F", image);
    mount();
    if (!existsSync(trigger(dir))) throw new Error("this kernel breaks no file system");
  } catch {
    spawnSync("umount", [dir], { stdio: "ignore" });
    return undefined;
  }
  return {
    dir,
    breaks() {
      run("sync", "-f", dir);
      writeFileSync(trigger(dir), "1");
    },
    isMended() {
      run("umount", dir);
      // The kernel lets the file go a little later, and until then knows the broken state of it.
      while (run("losetup", "-j", image) !== "")
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
      try {
        run("e2fsck", "-fy", image);
      } catch {
        // Its exit code tells that it has repaired something.
      }
      mount();
    },
    remove: () => void run("umount", "-l", dir),
  };
}

function run(program: string, ...args: readonly string[]): string {
  return execFileSync(program, args, { stdio: ["ignore", "pipe", "ignore"], encoding: "utf8" }).trim();
}

/** Returns the file by which the kernel is told to take a file system for broken. */
function trigger(dir: string): string {
  const device = path.basename(run("findmnt", "-n", "-o", "SOURCE", dir));
  return `/sys/fs/ext4/${device}/trigger_fs_error`;
}

function blow(file: string, size: number): void {
  const piece = Buffer.alloc(size);
  try {
    for (;;) writeFileSync(file, piece, { flag: "a" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}

const limit = (pid: number, size: string): void =>
  void execFileSync("prlimit", ["--pid", String(pid), `--fsize=${size}:`]);

/**
 * A directory in which the process may not let a file grow beyond a byte while the disk is "full".
 */
export function limitedDisk(parent: string): SmallDisk {
  const dir = path.join(parent, "disk");
  mkdirSync(dir, { mode: 0o700 });
  return { dir, fill: (pid) => limit(pid, "1"), free: (pid) => limit(pid, "unlimited"), remove: () => {} };
}
