import { parentPort, workerData } from "node:worker_threads";
import path from "node:path";
import { startGuardian } from "./guardian.ts";
import { Groups } from "./groups.ts";
import { close, ioctl, libcCall, pipe, prctl } from "./kernel.ts";
import { type RefereeFacts, referee } from "./referee.ts";
import { signalProcess } from "./signals.ts";
import { watcher } from "./watch.ts";

const RECEIVE = 0xc0502100;
const SEND = 0xc0182101;
const STILL_VALID = 0x40082102;
const CONTINUE = 1;
const POLLIN = 1;
const POLLHUP = 16;
/** Orphans of runs come to this process, so that they do not stay in the process table as long as others please. */
const PR_SET_CHILD_SUBREAPER = 36;
const LOOK_MS = 100;
const BATCH = 64;

/**
 * Answers what the filter asks about, one question at a time, from a thread without walls. It sits in poll(2) rather than
 * in an event loop: a byte on `wake` ends it.
 */
const port = parentPort!;
const facts = workerData as RefereeFacts;
port.once("message", ({ listener }: { listener: number }) => {
  const guardian = startGuardian(facts.cgroups.map((file) => path.dirname(file)));
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const [wakeRead, wake] = pipe();
  const groups = new Groups(facts.groups, guardian.ledger);
  const decide = referee(facts, groups);
  const look = watcher(groups, facts.watched);
  const looks = Object.keys(facts.watched).length > 0;
  const polled = new DataView(new Int32Array([listener, POLLIN, wakeRead, POLLIN]).buffer);
  const question = new Uint8Array(80);
  const asked = new DataView(question.buffer);
  const answer = new DataView(new ArrayBuffer(24));

  const check = (): void => void ioctl(listener, STILL_VALID, question.subarray(0, 8));
  const receive = (): boolean => {
    question.fill(0);
    try {
      return ioctl(listener, RECEIVE, question) === 0;
    } catch {
      return false;
    }
  };
  const reply = (result: "continue" | number): void => {
    answer.setBigUint64(0, asked.getBigUint64(0, true), true);
    answer.setInt32(16, result === "continue" ? 0 : -result, true);
    answer.setUint32(20, result === "continue" ? CONTINUE : 0, true);
    try {
      ioctl(listener, SEND, new Uint8Array(answer.buffer));
    } catch {
      // The asker was killed while it waited.
    }
  };
  const wait = (ms: number): boolean => {
    try {
      libcCall("poll", ["void *", "ulong", "int"], new Uint8Array(polled.buffer), 2, ms);
    } catch {
      return false;
    }
    return (polled.getInt16(6, true) & POLLIN) !== 0;
  };
  const over = (): boolean =>
    (polled.getInt16(14, true) & POLLIN) !== 0 || (polled.getInt16(6, true) & POLLHUP) !== 0;

  port.postMessage({ wake, ledger: guardian.ledger });
  let due = 0;
  const turn = (): void => {
    for (let answered = 0; answered < BATCH && !over(); answered++) {
      const watching = looks && groups.runs().length > 0;
      if (wait(watching ? LOOK_MS : -1) && receive()) reply(decide(asked, check));
      if (!watching || performance.now() < due) continue;
      look();
      due = performance.now() + LOOK_MS;
    }
    // What native code has to tidy up waits for the event loop, so it gets its turn.
    if (over()) leave();
    else setImmediate(turn);
  };
  const leave = (): void => {
    while (wait(0) && receive()) signalProcess(asked.getUint32(8, true), "SIGKILL");
    for (const fd of [listener, wakeRead]) close(fd);
    guardian.release();
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    port.close();
  };
  turn();
});
