import { createMemoryStore, emptyStoreState } from "@gantry/sdk/testing";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { answeredLater, type Decided } from "./asked-question.ts";
import { KeptQuestions } from "./kept-questions.ts";
import { QuestionDesk } from "./question-desk.ts";

const waitMs = 60_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] }));
afterEach(() => void vi.useRealTimers());

const questionAbout = (call: string, session: string) => ({
  session,
  user: "fake:alice",
  tool: "shell",
  args: { call },
  preview: call,
  lines: 1,
  commands: 1,
  reasons: [],
  warnings: [],
});

interface Ask {
  readonly call: string;
  readonly session: string;
  readonly stop: AbortController;
  outcome?: { readonly id: string; readonly decided: Decided };
}

/** Processes on one store; each desk is one, with what only its own memory holds. */
class Town {
  readonly state = emptyStoreState();
  readonly asks: { readonly process: number; readonly ask: Ask }[] = [];
  /** The subject of each question, in the order in which they were announced first. */
  readonly questions = new Map<string, string>();
  /** The ends that were taken, by the question's id. */
  readonly ends: { readonly id: string; readonly decision: string }[] = [];
  readonly #desks: QuestionDesk[] = [];

  desk(process: number): QuestionDesk {
    const store = createMemoryStore(this.state, { node: `${process}` });
    return (this.#desks[process] ??= new QuestionDesk(
      new KeptQuestions(() => store.values),
      new Map(),
      waitMs,
    ));
  }

  ask(process: number, call: string, session: string): Ask {
    const ask: Ask = { call, session, stop: new AbortController() };
    this.asks.push({ process, ask });
    const announce = ({ id }: { readonly id: string }): void =>
      void (this.questions.has(id) || this.questions.set(id, `${call} ${session}`));
    void this.desk(process)
      .ask({ question: questionAbout(call, session), call, announce, signal: ask.stop.signal })
      .then((outcome) => (ask.outcome = outcome));
    return ask;
  }

  async decide(process: number, at: number, decision: "allow" | "deny"): Promise<void> {
    const id = [...this.questions.keys()].at(at % Math.max(1, this.questions.size));
    const desk = this.desk(process);
    const [question] = id === undefined ? [] : await desk.kept.read(id);
    if (id === undefined || !question?.asked) return;
    if (await desk.end(question.asked, { decision, by: "fake:alice" })) this.ends.push({ id, decision });
  }

  /** The platform confirms a question, once or again. */
  async deliver(process: number, at: number): Promise<void> {
    const { kept } = this.desk(process);
    const question = (await kept.read()).at(at);
    if (question?.asked) await kept.delivered(question.asked.request, { at: Date.now() });
  }

  /** Begins the process again; the old one was stopped cleanly, or goes on as if it was frozen. */
  restart(process: number, cleanly: boolean): void {
    delete this.#desks[process];
    if (!cleanly) return;
    for (const one of this.asks)
      if (one.process === process && !one.ask.outcome) one.ask.stop.abort(answeredLater);
  }
}

const settle = (ms = 0): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

type Step = (town: Town) => Promise<void> | void;
const process = fc.nat({ max: 2 });
const session = fc.constantFrom("fake:one", "fake:two");
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(process, fc.constantFrom("ls", "rm", "id"), session).map(
      ([at, call, where]): Step =>
        (town) =>
          void town.ask(at, call, where),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(process, fc.nat(9), fc.constantFrom("allow" as const, "deny" as const)).map(
      ([at, which, decision]): Step =>
        (town) =>
          town.decide(at, which, decision),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(process, fc.boolean()).map(
      ([at, cleanly]): Step =>
        (town) =>
          town.restart(at, cleanly),
    ),
  },
  fc.tuple(process, fc.nat(9)).map(
    ([at, which]): Step =>
      (town) =>
        town.deliver(at, which),
  ),
  fc.tuple(process, session).map(
    ([at, where]): Step =>
      (town) =>
        town.desk(at).withdraw(where),
  ),
  fc.nat(9).map(
    (which): Step =>
      ({ asks }) =>
        asks.at(which % Math.max(1, asks.length))?.ask.stop.abort(),
  ),
  fc.constantFrom(100, waitMs / 2, waitMs).map(
    (ms): Step =>
      async () =>
        void (await settle(ms)),
  ),
);

test("SDK-21: in any order of events a question is decided and used once, for its own call", async () => {
  const steps = fc.array(fc.tuple(step, fc.boolean()), { minLength: 3, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const town = new Town();
      for (const [one, isAtOnce] of all) {
        const done = one(town);
        if (isAtOnce) continue;
        await settle();
        await done;
      }
      await settle(2 * waitMs);
      const ids = town.ends.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      const yes = town.asks.flatMap(({ ask }) => (ask.outcome?.decided.decision === "allow" ? [ask] : []));
      expect(new Set(yes.map(({ outcome }) => outcome?.id)).size).toBe(yes.length);
      for (const { call, session: where, outcome } of yes) {
        expect(town.ends).toContainEqual({ id: outcome?.id, decision: "allow" });
        expect(town.questions.get(outcome?.id ?? "")).toBe(`${call} ${where}`);
      }
      // Nobody waits any more, and nothing is left to be used.
      expect(town.asks.filter(({ ask }) => !ask.outcome)).toEqual([]);
      expect((await town.desk(0).kept.read()).filter(({ asked }) => asked)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test("SDK-21: a decision is known at once in its process, in another one within 100 ms", async () => {
  for (const [process, ms] of [
    [0, 0],
    [1, 100],
  ] as const) {
    const town = new Town();
    const ask = town.ask(0, "ls", "fake:one");
    await settle(1_000);
    expect(ask.outcome).toBeUndefined();
    await town.decide(process, 0, "allow");
    await settle(ms);
    expect(ask.outcome?.decided).toEqual({ decision: "allow", by: "fake:alice" });
  }
});

test("SDK-21: an expired question is over, and nothing of it is kept for long", async () => {
  const town = new Town();
  const ask = town.ask(0, "ls", "fake:one");
  await settle(waitMs);
  expect(ask.outcome?.decided).toEqual({ decision: "expired" });
  await town.decide(1, 0, "allow");
  expect(town.ends).toEqual([]);
  expect(await town.desk(1).kept.read()).toMatchObject([{ ended: { decision: "expired" } }]);
  await settle(3_600_000);
  expect(await town.desk(1).kept.read()).toEqual([]);
});
