import { parentPort, workerData } from "node:worker_threads";
import { close, ioctl, libcCall, pipe, struct, syscall } from "./kernel/kernel.ts";
import { signalProcess } from "./supervisor/descendants.ts";
import { Groups } from "./supervisor/groups.ts";
import { OpenGate } from "./supervisor/open-gate.ts";
import { pause } from "./supervisor/pause.ts";
import { respond } from "./supervisor/respond.ts";
import { LEFT, WAKE } from "./supervisor/stage.ts";
import {
  type Added,
  type Supervised,
  type SupervisorFacts,
  type ToSupervisor,
  limit,
  supervise,
} from "./supervisor/supervisor.ts";
import { ProcessBudget } from "./supervisor/process-budget.ts";
import { watcher } from "./supervisor/watch.ts";

const RECEIVE = 0xc0502100;
const STILL_VALID = 0x40082102;
const PLACE = 0x40182103;
const IN_PLACE = 1;
const O_CLOEXEC = 0x80000;
const EPERM = 1;
const POLLIN = 1;
const POLLHUP = 16;
const LOOK_MS = 100;
const BATCH = 64;
/** How often what a lost process left is looked for. */
const LEFT_MS = 20;
/** Beyond it nobody waits for that. */
const SETTLE_MS = 10_000;

/** One confined process, with what it asks on. */
interface Confined {
  readonly pid: number;
  /** To be told of its end. */
  readonly pidfd: number;
  readonly listener: number;
  readonly decide: ReturnType<typeof supervise>;
  readonly gate: OpenGate | undefined;
}

/**
 * Decides what the filters of all confined processes ask, one request at a time, from a thread without walls. It sits in
 * poll(2) rather than in an event loop: a byte on `wake` lets it read its messages.
 */
const port = parentPort!;
const facts = workerData as SupervisorFacts;
const [wakeRead, wake] = pipe();
const look = watcher(facts.bounds.watched);
const { processes, ...others } = facts.bounds.watched;
const looks = Object.keys(others).length > 0;
const budget =
  processes === undefined ? undefined : new ProcessBudget(processes, () => confined.map(({ pid }) => pid));
const groups = new Groups(facts.bounds.groups);
const notification = new Uint8Array(80);
const view = new DataView(notification.buffer);
let confined: readonly Confined[] = [];
/** Those that have ended, while something is left of what they started. */
const lost = new Set<Confined>();
let settleBy: number | undefined;
let stopped = false;
let due = 0;

port.on("message", (message: ToSupervisor) => {
  if ("stop" in message) stopped = true;
  else if ("settle" in message) settleBy = performance.now() + SETTLE_MS;
  else if ("errno" in message) answer(message.pid, message.id, message.errno);
  else port.postMessage({ added: add(message) });
});
say(WAKE, wake);
port.postMessage({ up: true });
setImmediate(next);

/** Undefined where it has gone meanwhile. */
function add({ pid, listener: remote, write, masked }: Supervised): Added | undefined {
  try {
    const pidfd = syscall("pidfd_open", pid, 0);
    try {
      const own = { ...facts, write: [...facts.write, ...write] };
      const listener = syscall("pidfd_getfd", pidfd, remote, 0);
      groups.take(pid);
      limit(pid, facts.bounds.limits);
      const gate = masked && OpenGate.over(pid, masked);
      confined = [...confined, { pid, pidfd, listener, gate, decide: supervise(own, pid, budget) }];
      return { gated: gate !== undefined };
    } catch (error) {
      close(pidfd);
      throw error;
    }
  } catch {
    return undefined;
  }
}

function turn(): void {
  for (let decided = 0; decided < BATCH; decided++) {
    const watching = looks && Atomics.load(facts.running, 0) > 0;
    const ready = wait(waiting(watching));
    for (const one of ready.ended) lost.add(one);
    for (const gate of ready.opening) gate.answer();
    for (const one of ready.asking) decide(one);
    for (const one of ready.gone) drop(one);
    if (lost.size > 0) groups.killOthers(new Set(alive().map(({ pid }) => pid)));
    settle();
    if (watching && performance.now() >= due) {
      look(confined.map(({ pid }) => pid));
      due = performance.now() + LOOK_MS;
    }
    if (ready.woken) break;
  }
  setImmediate(next);
}

/** Messages, and what native code has to tidy up, wait for the event loop, so it gets its turn before this. */
function next(): void {
  if (stopped) leave();
  else turn();
}

const alive = (): readonly Confined[] => confined.filter((one) => !lost.has(one));

function waiting(watching: boolean): number {
  if (settleBy !== undefined || (lost.size > 0 && facts.bounds.groups.files.length > 0)) return LEFT_MS;
  return watching ? LOOK_MS : -1;
}

function settle(): void {
  if (settleBy === undefined || (lost.size > 0 && performance.now() < settleBy)) return;
  settleBy = undefined;
  port.postMessage({ settled: true });
}

interface Ready {
  readonly opening: readonly OpenGate[];
  readonly asking: readonly Confined[];
  readonly gone: readonly Confined[];
  readonly ended: readonly Confined[];
  readonly woken: boolean;
}

function wait(ms: number): Ready {
  const gates = confined.flatMap(({ gate }) => gate ?? []);
  const living = alive();
  const fds = [
    wakeRead,
    ...confined.map(({ listener }) => listener),
    ...gates.map(({ fd }) => fd),
    ...living.map(({ pidfd }) => pidfd),
  ];
  const polled = new Int32Array(fds.flatMap((fd) => [fd, POLLIN]));
  try {
    libcCall("poll", ["void *", "ulong", "int"], new Uint8Array(polled.buffer), polled.length / 2, ms);
  } catch {
    return { opening: [], asking: [], gone: [], ended: [], woken: false };
  }
  const events = (at: number): number => polled[at * 2 + 1]! >> 16;
  const woken = (events(0) & POLLIN) !== 0;
  if (woken) libcCall("read", ["int", "void *", "ulong"], wakeRead, new Uint8Array(64), 64);
  return {
    opening: gates.filter((_, i) => events(confined.length + i + 1) & POLLIN),
    asking: confined.filter((_, i) => events(i + 1) & POLLIN),
    gone: confined.filter((_, i) => (events(i + 1) & (POLLIN | POLLHUP)) === POLLHUP),
    ended: living.filter((_, i) => events(confined.length + gates.length + i + 1) & POLLIN),
    woken,
  };
}

function decide(one: Confined): void {
  const { listener, decide: judge } = one;
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
  const decision = lost.has(one) ? end(check) : judge(view, { check, place });
  if (typeof decision === "object") port.postMessage({ pid: one.pid, id, move: decision });
  else respond(listener, id, decision);
}

/** Answers what a confined process has decided. */
function answer(pid: number, id: bigint, errno: number): void {
  const asked = confined.find((one) => one.pid === pid);
  if (asked) respond(asked.listener, id, errno);
}

/** What a lost process left does nothing more; without groups this alone ends it. */
function end(check: () => void): number {
  try {
    check();
    signalProcess(view.getUint32(8, true), "SIGKILL");
  } catch {
    // It has gone.
  }
  return EPERM;
}

function drop(gone: Confined): void {
  confined = confined.filter((one) => one !== gone);
  lost.delete(gone);
  close(gone.listener);
  close(gone.pidfd);
  gone.gate?.close();
  groups.leave(gone.pid);
  port.postMessage({ gone: gone.pid });
}

function leave(): void {
  const living = new Set(alive().map(({ pid }) => pid));
  const rounds = lost.size > 0 ? SETTLE_MS / LEFT_MS : 0;
  for (const one of confined) drop(one);
  // Nobody answers any more, so none of them starts another.
  for (let round = 0; round < rounds && groups.killOthers(living); round++) pause(LEFT_MS);
  groups.close();
  close(wakeRead);
  port.close();
  say(LEFT, 1);
}

function say(what: number, value: number): void {
  Atomics.store(facts.stage, what, value);
  Atomics.notify(facts.stage, what);
}
