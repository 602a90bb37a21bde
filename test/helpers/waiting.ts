import {
  Channels,
  definePlugin,
  directMessage,
  Inbox,
  Store,
  textOf,
  type OutgoingMessage,
  type Plugin,
  type Receipt,
  type Sent,
  type Trust,
} from "@gantry/sdk";
import type { TestHost } from "@gantry/sdk/testing";
import { vi } from "vitest";

export interface SentOut {
  readonly to: string;
  readonly text: string;
  /** Unix ms, by the simulated clock. */
  readonly at: number;
}

/** A channel that knows when it sent what. */
export interface Chat {
  readonly plugin: Plugin;
  readonly sent: readonly SentOut[];
  /** Returns the number of times that the platform was asked to send. */
  asked(): number;
  /** The platform's answer; undefined: it takes the message. */
  answers: (message: OutgoingMessage, signal: AbortSignal) => Sent | undefined | Promise<Sent>;
}

export function chat(): Chat {
  const sent: SentOut[] = [];
  let asked = 0;
  const it: Chat = {
    sent,
    asked: () => asked,
    answers: () => undefined,
    plugin: definePlugin({
      name: "channel-chat",
      provides: [Channels],
      setup: (host) =>
        host.provide(Channels, {
          name: "chat",
          async send(message, signal) {
            asked += 1;
            const answer = await it.answers(message, signal);
            if (answer && answer.status !== "sent") return answer;
            sent.push({ to: String(message.to), text: textOf(message.parts), at: Date.now() });
            return { status: "sent" };
          },
        }),
    }),
  };
  return it;
}

let number = 0;

/** Messages of one sender, in one delivery. */
export function write(
  t: TestHost,
  from: string,
  texts: readonly string[],
  trust: Trust = "member",
): Promise<readonly Receipt[]> {
  const messages = texts.map((text) =>
    directMessage({ channel: "chat", id: `m${(number += 1)}`, from, text, trust }),
  );
  return t.slot(Inbox).receive(messages);
}

const realTimeout = globalThis.setTimeout;
/** The most looks at the lanes in one step of simulated time, two real milliseconds apart. */
const mostLooks = 50;
/**
 * After so many looks in a row that find nothing new, a turn that runs waits for a timer, so for
 * the next step.
 */
const quietLooks = 10;

/**
 * Lets simulated time pass in steps, until `done` says so. Files go on for real, so each step waits
 * until all that is due is done.
 */
export async function passing(
  t: TestHost,
  done: () => Promise<boolean> | boolean,
  stepMs: number = 1_000,
): Promise<void> {
  for (let i = 0; !(await done()); i += 1) {
    if (i > 100_000) throw new Error("what was waited for did not come in simulated time");
    await vi.advanceTimersByTimeAsync(stepMs);
    await settled(t);
  }
}

/** The state of the lanes when each host was last settled. */
const seen = new WeakMap<TestHost, string>();

async function settled(t: TestHost): Promise<void> {
  const { lanes, values } = t.slot(Store);
  for (let looks = 0, quiet = 0; looks < mostLooks && quiet < quietLooks; looks += 1) {
    const [stats, dueIn = Infinity] = await Promise.all([lanes.stats(), lanes.dueIn()]);
    const { running } = stats;
    const now = JSON.stringify([stats, dueIn > 0 ? Math.round((Date.now() + dueIn) / 1_000) : 0]);
    if (running === 0 && dueIn > 0 && seen.get(t) === now) return;
    // The state that is seen is written down, and the wait goes on once it is on disk: any later
    // write is on disk later.
    quiet = seen.get(t) === now ? quiet + 1 : 0;
    if (quiet === 0) await values.put("settled", "test", now).catch(() => {});
    seen.set(t, now);
    await new Promise((resolve) => realTimeout(resolve, 2));
    // A worker looks in a moment for messages to claim.
    if (running === 0) await vi.advanceTimersByTimeAsync(10);
  }
}

/**
 * Lets the monotonic clock go with the simulated one, so that the clock counts as going on, not as
 * set.
 */
export function simulateTime(now = Date.now()): Disposable {
  const began = { date: now, high: process.hrtime.bigint(), low: performance.now() };
  const toFake = ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] as const;
  vi.useFakeTimers({ toFake: [...toFake], now });
  const passed = (): number => Date.now() - began.date;
  const spies = [
    vi.spyOn(performance, "now").mockImplementation(() => began.low + passed()),
    vi.spyOn(process.hrtime, "bigint").mockImplementation(() => began.high + BigInt(passed()) * 1_000_000n),
  ];
  return {
    [Symbol.dispose]() {
      for (const spy of spies) spy.mockRestore();
      vi.useRealTimers();
    },
  };
}

/**
 * Lets simulated time go on by itself, at most 25 times as fast as real time. Not for sockets: what
 * they wait for stays real.
 */
export function hurryTime(): AsyncDisposable {
  const time = simulateTime();
  const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const late = new AbortController();
    setTimeout(() => late.abort(new DOMException("It took too long.", "TimeoutError")), ms);
    return late.signal;
  });
  const over = new AbortController();
  const passes = (async () => {
    while (!over.signal.aborted) {
      await vi.advanceTimersByTimeAsync(50);
      await new Promise((resolve) => realTimeout(resolve, 2));
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      over.abort();
      await passes;
      timeout.mockRestore();
      time[Symbol.dispose]();
    },
  };
}

/** Stops a host that gives turns a moment, not its eight seconds, to end. */
export async function stopSoon(host: TestHost): Promise<void> {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const grace = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => timeout(ms === 8_000 ? 200 : ms));
  try {
    await host.stop();
  } finally {
    grace.mockRestore();
  }
}
