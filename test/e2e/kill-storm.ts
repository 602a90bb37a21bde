import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { said, startGantry, tempDir } from "../helpers/cli.ts";
import { freePort, startEchoModel, unbounded } from "./platform.ts";

const isLong = process.env["GANTRY_LONG"] !== undefined;
/** The number of times that the service is killed. */
export const kills: number = isLong ? 50 : 4;
/** Milliseconds that a storm may take. */
export const stormMs: number = isLong ? 5_400_000 : 600_000;
/**
 * A machine that is slow today gets no more than it can answer: so many messages of a person are
 * open at most.
 */
const mostOpen = 12;
/** Milliseconds without any answer after which what is missing counts as lost. */
const patienceMs = 120_000;

/** A message that the platform took from the service. */
export interface ToldWord {
  readonly person: string;
  readonly text: string;
}

/** A channel under load, on its platform. */
export interface StormSubject {
  readonly channel: string;
  /**
   * The part of config.toml that names endpoints, and the channel's table, which lets all people
   * in.
   */
  readonly config: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly people: readonly string[];
  write(person: string, text: string): void;
  /** All so far, in order. */
  told(): readonly ToldWord[];
  /** Resolves once the first process listens, and nobody wrote before. */
  listens?(): Promise<void>;
  /** Before a kill, counted from 0; nobody writes until the work given to `hush` is done. */
  beforeKill?(kill: number, hush: (work: () => Promise<void>) => Promise<void>): Promise<void>;
  /** Before the next process is started. */
  afterKill?(kill: number): void;
}

/** The outcome of a storm. */
export interface Tally {
  /** The answers to what each person wrote, in their order. */
  readonly expected: readonly (readonly string[])[];
  /**
   * The answers that each person was sent, in their order; what came twice counts where it came
   * first.
   */
  readonly firsts: readonly (readonly string[])[];
  readonly lost: readonly string[];
  /** Texts that were sent more than once, and the number of processes that sent them. */
  readonly doubled: readonly { readonly text: string; readonly times: number; readonly processes: number }[];
}

/**
 * People write all the time, each their own words, while the service is killed again and again at
 * any moment; then all is counted.
 */
export async function killStorm(subject: StormSubject): Promise<Tally> {
  const { channel, config, env = {}, people } = subject;
  const model = await startEchoModel(() => Math.random() * 30);
  const head = `default_provider = "${model.provider}"\ndefault_model = "m"`;
  const gateway = `[gateway]\nport = ${await freePort()}\n${unbounded}`;
  using home = tempDir([head, gateway, config].join("\n"));
  /** The number of words that were told when each process was started. */
  const starts: number[] = [];
  const start = async (): Promise<ChildProcess> => {
    starts.push(subject.told().length);
    const { child } = startGantry(["daemon"], { dir: home.dir, env });
    await said(child, "stderr", /Gantry is ready/);
    return child;
  };

  const expected = new Map<string, string[]>(people.map((person) => [person, []]));
  const toldTo = (person: string): Set<string> =>
    new Set(subject.told().flatMap((one) => (one.person === person && isAnswer(one) ? [one.text] : [])));
  const open = (person: string): number => (expected.get(person)?.length ?? 0) - toldTo(person).size;
  const over = new AbortController();
  let isQuiet = false;
  const hush = async (work: () => Promise<void>): Promise<void> => {
    isQuiet = true;
    await work().finally(() => (isQuiet = false));
  };
  const writer = async (person: string, i: number): Promise<void> => {
    for (let n = 0; !over.signal.aborted;) {
      if (!isQuiet && open(person) < mostOpen) {
        const word = `message-${i}-${(n += 1)}`;
        expected.get(person)?.push(`re: ${word}`);
        subject.write(person, word);
      }
      await pause(20 + Math.random() * 60);
    }
  };

  let child = await start();
  try {
    await subject.listens?.();
    const writers = people.map(writer);
    // Most platforms keep nothing for the service from places in which it was never asked.
    while (people.some((person) => toldTo(person).size === 0)) await pause(50);
    for (let kill = 0; kill < kills; kill += 1) {
      await subject.beforeKill?.(kill, hush);
      await pause(Math.random() * 400);
      await end(child, "SIGKILL");
      subject.afterKill?.(kill);
      child = await start();
    }
    over.abort();
    await Promise.all(writers);
    await fallen(() => people.reduce((sum, person) => sum + open(person), 0));
  } finally {
    over.abort();
    await end(child, "SIGTERM");
    model.close();
  }

  const tally = tallyOf(subject, [...expected.values()], starts);
  const { lost, doubled } = tally;
  const count = [...expected.values()].flat().length;
  process.stderr.write(
    `kill storm on ${channel}: ${kills} kills, ${count} messages, ${lost.length} lost, ${doubled.length} sent twice\n`,
  );
  return tally;
}

/** Returns false for the notice to people who wait long because nothing lives for long. */
function isAnswer({ text }: ToldWord): boolean {
  return text.startsWith("re: ");
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}

/** Resolves once nothing is left, or what is left has not become less for long. */
async function fallen(left: () => number): Promise<void> {
  let least = left();
  for (let since = Date.now(); least > 0 && Date.now() - since < patienceMs;) {
    await pause(200);
    const now = left();
    if (now < least) since = Date.now();
    least = Math.min(least, now);
  }
}

function tallyOf(
  { people, told }: StormSubject,
  expected: Tally["expected"],
  starts: readonly number[],
): Tally {
  const words = told()
    .map((one, i) => ({ ...one, process: starts.filter((begun) => begun <= i).length }))
    .filter(isAnswer);
  const byText = Map.groupBy(words, ({ text }) => text);
  return {
    expected,
    firsts: people.map((person) => [
      ...new Set(words.filter((one) => one.person === person).map(({ text }) => text)),
    ]),
    lost: expected.flat().filter((text) => !byText.has(text)),
    doubled: [...byText].flatMap(([text, same]) =>
      same.length > 1
        ? [{ text, times: same.length, processes: new Set(same.map((one) => one.process)).size }]
        : [],
    ),
  };
}
