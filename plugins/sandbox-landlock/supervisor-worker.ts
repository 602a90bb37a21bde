import { parentPort, workerData } from "node:worker_threads";
import { close, ioctl, libcCall, pipe, struct, syscall } from "./kernel/kernel.ts";
import { Groups } from "./supervisor/groups.ts";
import { respond } from "./supervisor/respond.ts";
import { LEFT, WAKE } from "./supervisor/stage.ts";
import {
  type Supervised,
  type SupervisorFacts,
  type ToSupervisor,
  limit,
  supervise,
} from "./supervisor/supervisor.ts";

const RECEIVE = 0xc0502100;
const STILL_VALID = 0x40082102;
const PLACE = 0x40182103;
const IN_PLACE = 1;
const O_CLOEXEC = 0x80000;
const POLLIN = 1;
const POLLHUP = 16;
const BATCH = 64;

/** One confined process, with what it asks on. */
interface Confined {
  readonly pid: number;
  readonly listener: number;
  readonly decide: ReturnType<typeof supervise>;
}

/**
 * Decides what the filters of all confined processes ask, one request at a time, from a thread
 * without walls. It sits in poll(2) rather than in an event loop: a byte on `wake` lets it read its
 * messages.
 */
const port = parentPort!;
const facts = workerData as SupervisorFacts;
const [wakeRead, wake] = pipe();
const groups = new Groups(facts.groups);
const notification = new Uint8Array(80);
const view = new DataView(notification.buffer);
let confined: readonly Confined[] = [];
let stopped = false;

port.on("message", (message: ToSupervisor) => {
  if ("stop" in message) stopped = true;
  else if ("errno" in message) answer(message.pid, message.id, message.errno);
  else port.postMessage({ added: add(message) });
});
say(WAKE, wake);
port.postMessage({ up: true });
setImmediate(next);

/** Takes over a process' filter. Returns false if the process has gone meanwhile. */
function add({ pid, listener: remote, own, limits }: Supervised): boolean {
  try {
    const pidfd = syscall("pidfd_open", pid, 0);
    try {
      const listener = syscall("pidfd_getfd", pidfd, remote, 0);
      groups.take(pid);
      limit(pid, limits);
      confined = [...confined, { pid, listener, decide: supervise(facts, { pid, own }) }];
      return true;
    } finally {
      close(pidfd);
    }
  } catch {
    return false;
  }
}

function turn(): void {
  for (let decided = 0; decided < BATCH; decided++) {
    const ready = wait();
    for (const one of ready.asking) decide(one);
    for (const one of ready.gone) drop(one);
    if (ready.woken) break;
  }
  setImmediate(next);
}

/** Goes on after the event loop, for which messages, and what native code has to tidy up, wait. */
function next(): void {
  if (stopped) leave();
  else turn();
}

interface Ready {
  readonly asking: readonly Confined[];
  readonly gone: readonly Confined[];
  readonly woken: boolean;
}

function wait(): Ready {
  const fds = [wakeRead, ...confined.map(({ listener }) => listener)];
  const polled = new Int32Array(fds.flatMap((fd) => [fd, POLLIN]));
  try {
    libcCall("poll", ["void *", "ulong", "int"], new Uint8Array(polled.buffer), polled.length / 2, -1);
  } catch {
    return { asking: [], gone: [], woken: false };
  }
  const events = (at: number): number => polled[at * 2 + 1]! >> 16;
  const woken = (events(0) & POLLIN) !== 0;
  if (woken) libcCall("read", ["int", "void *", "ulong"], wakeRead, new Uint8Array(64), 64);
  return {
    asking: confined.filter((_, i) => events(i + 1) & POLLIN),
    gone: confined.filter((_, i) => (events(i + 1) & (POLLIN | POLLHUP)) === POLLHUP),
    woken,
  };
}

function decide({ pid, listener, decide: judge }: Confined): void {
  notification.fill(0);
  try {
    ioctl(listener, RECEIVE, notification);
  } catch {
    return;
  }
  const id = view.getBigUint64(0, true);
  const check = (): void => void ioctl(listener, STILL_VALID, notification.subarray(0, 8));
  const place = (fd: number, at: number, closesOnExec: boolean): void =>
    void ioctl(
      listener,
      PLACE,
      struct([8, id], [4, IN_PLACE], [4, fd], [4, at], [4, closesOnExec ? O_CLOEXEC : 0]),
    );
  const decision = judge(view, { check, place });
  if (typeof decision === "object") port.postMessage({ pid, id, move: decision });
  else respond(listener, id, decision);
}

/** Answers what a confined process has decided. */
function answer(pid: number, id: bigint, errno: number): void {
  const asked = confined.find((one) => one.pid === pid);
  if (asked) respond(asked.listener, id, errno);
}

function drop(gone: Confined): void {
  confined = confined.filter((one) => one !== gone);
  close(gone.listener);
  groups.leave(gone.pid);
  port.postMessage({ gone: gone.pid });
}

function leave(): void {
  for (const one of confined) drop(one);
  groups.close();
  close(wakeRead);
  port.close();
  say(LEFT, 1);
}

function say(what: number, value: number): void {
  Atomics.store(facts.stage, what, value);
  Atomics.notify(facts.stage, what);
}
