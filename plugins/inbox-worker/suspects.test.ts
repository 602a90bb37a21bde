import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { directMessage, textOf, type ChatRequest } from "@gantry/sdk";
import { fakeProvider, startTestHost } from "@gantry/sdk/testing";
import { expect, test, vi } from "vitest";
import { chat, simulateTime } from "../../test/helpers/waiting.ts";
import { storeFile } from "../../test/helpers/stores.ts";

/** The effect of a text at the model: an answer after so many ms, or the end of the process. */
interface Deed {
  readonly afterMs: number;
  readonly kills?: boolean;
}

const stepMs = 500;

/**
 * One process after the other on one store. One that ended writes nothing and sends nothing any
 * more.
 */
class Lives {
  readonly channel = chat();
  deaths = 0;
  readonly #kept = storeFile();
  readonly #store = this.#kept.store;

  async write(from: string, text: string): Promise<void> {
    const message = directMessage({ channel: "chat", id: `${from}:${text}`, from, text });
    await this.#store.lanes.accept([message]);
  }

  /**
   * A process that ends over one of the model's deeds, or with `isOver`, which is asked all the
   * time.
   */
  async live(
    deedOf: (text: string) => Deed,
    isOver: (ms: number) => Promise<boolean> | boolean,
  ): Promise<void> {
    const death = new AbortController();
    const dead = death.signal;
    const die = (): void => death.abort();
    const died = once(dead, "abort");
    const answer = (request: ChatRequest) => {
      const last = request.messages.findLast(({ role }) => role === "user");
      // A turn that begins again has a note before the person's words.
      const said = last?.role === "user" ? textOf(last.parts.slice(-1)) : "";
      const { afterMs, kills = false } = deedOf(said);
      const passed = new Promise<void>((resolve) => setTimeout(resolve, afterMs));
      return { text: `re: ${said}`, after: Promise.race([kills ? passed.then(die) : passed, died]) };
    };
    const store = this.#kept.plugin((lanes) => ({
      claim: async (...args) => (dead.aborted ? [] : lanes.claim(...args)),
      renew: async (...args) => !dead.aborted && lanes.renew(...args),
      answer: async (...args) => (dead.aborted ? undefined : lanes.answer(...args)),
      retry: async (...args) => (dead.aborted ? undefined : lanes.retry(...args)),
      deadLetter: async (...args) => (dead.aborted ? undefined : lanes.deadLetter(...args)),
      ack: async (...args) => (dead.aborted ? undefined : lanes.ack(...args)),
    }));
    const t = await startTestHost({ plugins: [this.channel.plugin, fakeProvider([answer]), store] });
    try {
      await t.serve();
      for (let ms = 0; !dead.aborted && !(await isOver(ms)); ms += stepMs) {
        await vi.advanceTimersByTimeAsync(stepMs);
        await pause(4);
      }
      if (dead.aborted) this.deaths += 1;
    } finally {
      die();
      await t.stop();
    }
  }

  async isEmpty(): Promise<boolean> {
    const { waiting, running } = await this.#store.lanes.stats();
    return waiting + running === 0;
  }

  /** Returns the reason for which each message became a dead letter, by its id. */
  async aside(): Promise<Record<string, string | undefined>> {
    const page = await this.#store.lanes.page("dead", 100);
    return Object.fromEntries(page.map(({ id, reason }) => [id, reason]));
  }

  said(): readonly string[] {
    return this.channel.sent.map(({ text }) => text).toSorted();
  }
}

const people = ["a", "b", "c", "d"];

test("CTX-07: a process that is killed again and again within moments makes no message a poison: all are answered in the end, in order", async () => {
  using _ = simulateTime();
  const lives = new Lives();
  for (const from of people) for (const text of ["1", "2"]) await lives.write(from, `${from}${text}`);
  for (let kill = 0; kill < 20; kill += 1)
    await lives.live(
      () => ({ afterMs: 60_000 }),
      (ms) => ms >= 1_000,
    );
  await lives.live(
    () => ({ afterMs: 500 }),
    () => lives.isEmpty(),
  );
  expect(await lives.aside()).toEqual({});
  expect(lives.said()).toEqual(people.flatMap((from) => [`re: ${from}1`, `re: ${from}2`]));
});

test.each([0, 7_000])(
  "CTX-07: a message that ends the process, %i ms after it is begun, is found within a few starts and becomes a dead letter, its sender is told once, and who was in hand beside it is answered",
  async (afterMs) => {
    using _ = simulateTime();
    const lives = new Lives();
    await lives.write("p", "poison");
    await lives.write("p", "later");
    for (const from of people) await lives.write(from, `slow ${from}`);
    const deed = (text: string): Deed =>
      text.includes("poison") ? { afterMs, kills: true } : { afterMs: text.includes("slow") ? 8_000 : 10 };
    for (let life = 1; life <= 15 && !(await lives.isEmpty()); life += 1) {
      await lives.write(`new ${life}`, `quick ${life}`);
      await lives.live(deed, () => lives.isEmpty());
    }
    expect(await lives.aside()).toEqual({
      "p:poison": "the service ended 8 times while it was worked on",
    });
    expect(lives.deaths).toBe(8);
    const said = lives.said();
    expect(said.filter((text) => text.includes("slow"))).toEqual(people.map((from) => `re: slow ${from}`));
    expect(said.filter((text) => text.includes("quick"))).toHaveLength(9);
    expect(said.filter((text) => text.includes("dead letter"))).toHaveLength(1);
    expect(said).toContain("re: later");
  },
);

test("CTX-07: where no process lives long enough to try it again, who wrote what processes ended over is told once", async () => {
  using _ = simulateTime();
  const lives = new Lives();
  await lives.write("p", "poison");
  for (let life = 0; life < 8; life += 1) {
    await lives.live(
      () => ({ afterMs: 60_000 }),
      (ms) => ms >= 1_000,
    );
    await vi.advanceTimersByTimeAsync(20_000);
  }
  expect(lives.said()).toEqual([
    "Your message is kept, and tried again once I have run for a while without a break.",
  ]);
});
