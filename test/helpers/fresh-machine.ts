import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { root } from "./cli.ts";

const cache = path.join(root, "node_modules/.cache/fresh-machine");

/**
 * Runs a command on `$1` with the changes of `$2`, as all there is: a root, processes and a
 * loopback of its own and no network.
 */
const inMachine = `set -eu
lower=$1 over=$2
shift 2
mkdir -p "$over/up" "$over/work" "$over/root"
ip link set lo up
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$over/up,workdir=$over/work" "$over/root"
cd "$over/root"
mount -t proc proc proc
mount --rbind /dev dev
mount -t tmpfs tmpfs tmp
mkdir .old
pivot_root . .old
cd /
umount -l .old
rmdir .old
exec env -i HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"`;

/** True if a machine can be made here: by root, with the programs it takes. */
export const canMakeMachines: boolean =
  process.getuid?.() === 0 &&
  ["/usr/sbin/debootstrap", "/usr/bin/unshare", "/usr/sbin/pivot_root"].every((file) => existsSync(file)) &&
  ["/usr/sbin/ip", "/usr/bin/ip"].some((file) => existsSync(file));

/** The smallest Debian, of the mirror that this machine uses; made once. */
export function freshRoot(): string {
  if (existsSync(cache)) return cache;
  const draft = `${cache}.${process.pid}`;
  try {
    mkdirSync(path.dirname(cache), { recursive: true });
    const { status, stdout } = spawnSync("debootstrap", ["--variant=minbase", "bookworm", draft], {
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`debootstrap: ${stdout.trim().split("\n").at(-1)}`);
    renameSync(draft, cache);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return cache;
}

/** A fresh machine with these folders over it, the first one on top. */
export class FreshMachine implements Disposable {
  readonly #over = mkdtempSync(path.join(tmpdir(), "gantry-machine-"));
  readonly #lower: string;

  constructor(...layers: readonly string[]) {
    this.#lower = [...layers, freshRoot()].join(":");
  }

  /** Runs a script of bash; gives what it printed, all of it in the order of time. */
  bash(script: string): { readonly code: number | null; readonly text: string } {
    const isolated = ["--mount", "--net", "--pid", "--fork", "--kill-child"];
    const args = [
      ...isolated,
      "sh",
      "-c",
      inMachine,
      "sh",
      this.#lower,
      this.#over,
      "bash",
      "-c",
      `exec 2>&1; ${script}`,
    ];
    const { status, stdout } = spawnSync("unshare", args, { encoding: "utf8", timeout: 240_000 });
    return { code: status, text: stdout };
  }

  /** Every file that was written since it was made, by its path. */
  written(): readonly string[] {
    const up = path.join(this.#over, "up");
    return readdirSync(up, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() || entry.isSymbolicLink())
      .map((entry) => path.join("/", path.relative(up, entry.parentPath), entry.name))
      .toSorted();
  }

  [Symbol.dispose](): void {
    rmSync(this.#over, { recursive: true, force: true });
  }
}
