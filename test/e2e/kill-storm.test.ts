import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { said, startGantry, tempDir } from "../helpers/cli.ts";
import { freePort, Platform, startEchoModel, unbounded } from "./platform.ts";

/**
 * A message that was confirmed so long before a kill is not sent again: figures decide in the long
 * form only.
 */
const confirmedMs = 100;
const long = process.env["GANTRY_LONG"] !== undefined;

interface Storm {
  readonly kills: number;
  readonly signal: "SIGKILL" | "SIGTERM";
}

interface Outcome {
  readonly platform: Platform;
  readonly accepted: Map<string, string[]>;
  /** When each life of the service was ended, from the first on, as `performance.now()` tells. */
  readonly ends: readonly number[];
  /** The exit codes of the service. */
  readonly codes: Set<number | null>;
}

/**
 * Senders write one message after the other, each until it got its 200, while the service is
 * stopped again and again.
 */
async function storm({ kills, signal }: Storm): Promise<Outcome> {
  const platform = new Platform();
  const graph = await platform.start();
  const model = await startEchoModel(() => Math.random() * 30);
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  using home = tempDir(
    [
      `default_provider = "${model.provider}"`,
      'default_model = "m"',
      `[gateway]\nport = ${port}\n${unbounded}`,
      `[endpoints]\ngraph_url = "${graph}"`,
      '[channels_config.chatapp]\naccess_token = "t"\nphone_number_id = "1"\nverify_token = "v"\nallowed_numbers = ["*"]',
      `app_secret = "${platform.secret}"`,
    ].join("\n"),
  );
  const start = async (): Promise<ChildProcess> => {
    platform.life += 1;
    const { child } = startGantry(["daemon"], {
      dir: home.dir,
      env: { SERVICE_ALLOW_INSECURE_LOOPBACK: "1" },
    });
    await said(child, "stderr", /Gantry is ready/);
    return child;
  };
  const accepted = new Map<string, string[]>();
  const codes = new Set<number | null>();
  const ends: number[] = [];
  const over = new AbortController();
  const sender = async (from: string): Promise<void> => {
    const mine: string[] = [];
    accepted.set(`+${from}`, mine);
    for (let n = 0; !over.signal.aborted; n += 1) {
      const word = `message-${from}-${n}`;
      if (!(await platform.deliverUntilTaken(base, from, `id-${word}`, word, over.signal))) return;
      mine.push(word);
      await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 40));
    }
  };
  try {
    let child = await start();
    const senders = ["491", "492", "493", "494", "495"].map(sender);
    for (let i = 0; i < kills; i += 1) {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 250));
      const ended = once(child, "exit");
      ends.push(performance.now());
      child.kill(signal);
      const [code] = (await ended) as [number | null];
      codes.add(code);
      child = await start();
    }
    over.abort();
    await Promise.all(senders);
    const all = [...accepted.values()].flat();
    await platform.until(() =>
      all.every((word) => platform.replies.some(({ body }) => body === `re: ${word}`)),
    );
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  } finally {
    platform.stop();
    model.close();
  }
  return { platform, accepted, ends, codes };
}

/**
 * The first answers of each sender in their order, and how often each answer was sent within one
 * life of the service.
 */
function tally({ platform, accepted }: Outcome): {
  answered: string[][];
  expected: string[][];
  mostInOneLife: number;
  mostAtAll: number;
} {
  const answered: string[][] = [];
  let mostInOneLife = 0;
  let mostAtAll = 0;
  for (const number of accepted.keys()) {
    // People who wait long because nothing lives for long are told so, which is not an answer.
    const mine = platform.replies.filter(({ to, body }) => `+${to}` === number && body.startsWith("re: "));
    const firsts = [...new Set(mine.map(({ body }) => body))];
    answered.push(firsts);
    for (const body of firsts) {
      const lives = mine.filter((reply) => reply.body === body).map(({ life }) => life);
      mostInOneLife = Math.max(mostInOneLife, lives.length - new Set(lives).size + 1);
      mostAtAll = Math.max(mostAtAll, lives.length);
    }
  }
  return {
    answered,
    expected: [...accepted.values()].map((words) => words.map((word) => `re: ${word}`)),
    mostInOneLife,
    mostAtAll,
  };
}

/**
 * Returns, for each reply that was sent again by a later life, the milliseconds from its
 * confirmation to the kill.
 */
function doubles({ platform: { replies }, ends }: Outcome): readonly number[] {
  return replies.flatMap(({ to, body, life, at }) => {
    const isAgain = replies.some((later) => later.to === to && later.body === body && later.life > life);
    return isAgain ? [(ends[life - 1] as number) - at] : [];
  });
}

test(
  "CHA-06: kill -9 at any moment loses no accepted message, keeps each sender's order and repeats nothing that was confirmed",
  { timeout: 1_800_000 },
  async () => {
    const outcome = await storm({ kills: long ? 200 : 6, signal: "SIGKILL" });
    const { answered, expected, mostInOneLife } = tally(outcome);
    expect(answered).toEqual(expected);
    expect(expected.flat().length).toBeGreaterThan(20);
    // A reply is sent twice only if the service died before it could note that the first was
    // confirmed.
    expect(mostInOneLife).toBe(1);
    if (!long) return;
    const gaps = doubles(outcome).toSorted((a, b) => b - a);
    const shown = gaps.slice(0, 5).map((ms) => Math.round(ms));
    process.stderr.write(
      `200 kills: ${expected.flat().length} messages, ${gaps.length} sent again; confirmed before the kill by at most ${shown.join(", ")} ms\n`,
    );
    expect(gaps[0] ?? 0).toBeLessThan(confirmedMs);
  },
);

test(
  "CHA-07: SIGTERM ends with 0, the backlog waits for the next start, and no answer is sent twice",
  { timeout: 1_800_000 },
  async () => {
    const outcome = await storm({ kills: long ? 60 : 3, signal: "SIGTERM" });
    const { answered, expected, mostAtAll } = tally(outcome);
    expect(answered).toEqual(expected);
    expect([...outcome.codes]).toEqual([0]);
    expect(mostAtAll).toBe(1);
  },
);
