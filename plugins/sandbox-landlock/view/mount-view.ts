import { lstatSync, openSync, rmSync } from "node:fs";
import path from "node:path";
import { libcCall, syscall } from "../kernel/kernel.ts";
import {
  ATTR_RDONLY,
  CLONE_NEWNS,
  MS_NODEV,
  MS_NOSUID,
  bind,
  mount,
  restrictMount,
} from "../kernel/mounts.ts";
import { EMPTY_FILE, EMPTY_FOLDER } from "../workspace/mask-paths.ts";
import { LOWER, VIEWS, type View } from "./view-facts.ts";

const MNT_DETACH = 2;
/** A mount each; whoever looks at what the run did refuses changes of the rest. */
const MOST_HELD = 256;

/**
 * Makes a mount namespace for the calling thread in which the workspace is a view: what a run
 * writes there lies in the run's own layer. Returns a descriptor of that namespace; the thread is
 * back in `base` by then. Throws KernelError.
 */
export function makeView(workspace: string, view: View, base: number): number {
  syscall("unshare", CLONE_NEWNS);
  try {
    mountView(workspace, view);
    return openSync("/proc/thread-self/ns/mnt", "r");
  } finally {
    syscall("setns", base, CLONE_NEWNS);
  }
}

function mountView(workspace: string, { id, hide, hold }: View): void {
  const own = `${VIEWS}/${id}`;
  const layers = `lowerdir=${LOWER},upperdir=${own}/up,workdir=${own}/work,userxattr`;
  mount("gantry-view", workspace, "overlay", MS_NOSUID | MS_NODEV, layers);
  for (const name of hide) takeName(path.join(workspace, name));
  for (const name of hold.slice(0, MOST_HELD)) holdAsItIs(path.join(workspace, name));
  // Either would lead around the view.
  for (const at of [VIEWS, LOWER]) libcCall("umount2", ["const char *", "int"], at, MNT_DETACH);
}

/**
 * Removes a name, or lays a mask over it in a folder of somebody else's. Where a link leads is
 * hidden by its own name.
 */
function takeName(at: string): void {
  try {
    rmSync(at, { recursive: true, force: true });
  } catch {
    const about = lstatSync(at);
    if (!about.isSymbolicLink()) bind(about.isDirectory() ? EMPTY_FOLDER : EMPTY_FILE, at);
  }
}

/** Mounts what is there over itself, to be read only. A link has no place for a mount. */
function holdAsItIs(at: string): void {
  const about = lstatSync(at, { throwIfNoEntry: false });
  if (!about || about.isSymbolicLink()) return;
  bind(at, at);
  restrictMount(at, ATTR_RDONLY);
}

/** Returns what `start` returns, which it calls with the thread in another mount namespace. */
export function inView<T>(namespace: number, base: number, start: () => T): T {
  try {
    syscall("setns", namespace, CLONE_NEWNS);
    return start();
  } finally {
    syscall("setns", base, CLONE_NEWNS);
  }
}
