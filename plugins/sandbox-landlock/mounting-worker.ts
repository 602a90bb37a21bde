// oxlint-disable unicorn/require-post-message-target-origin -- a thread has no origin
import { openSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { asError } from "@gantry/sdk/node";
import { syscall } from "./kernel/kernel.ts";
import { CLONE_FS } from "./kernel/mounts.ts";
import { makeView } from "./view/mount-view.ts";
import type { FromMounter, MounterFacts, ToMounter } from "./view/view-facts.ts";

/**
 * The thread of a confined process that mounts views, since nothing behind Landlock may mount. It
 * is loaded before the walls stand, holds the rights of the process' own namespaces, and starts
 * nothing.
 */
const port = parentPort!;
const { workspace } = workerData as MounterFacts;
let base = -1;

port.on("message", (message: ToMounter) => port.postMessage(answer(message)));
port.postMessage({ up: true } satisfies FromMounter);

function answer(message: ToMounter): FromMounter {
  try {
    if (!("enter" in message)) return { namespace: makeView(workspace, message, base) };
    // A thread that shares its root with others may not change its mount namespace.
    syscall("unshare", CLONE_FS);
    base = openSync("/proc/thread-self/ns/mnt", "r");
    return { entered: true };
  } catch (error) {
    return { failed: asError(error).message };
  }
}
