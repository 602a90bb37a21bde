import { setImmediate } from "node:timers/promises";
import { directMessage, textParts, type Store } from "@gantry/sdk";
import { laneOf, type Claim } from "@gantry/sdk/fill";

const leaseMs = 60_000;
const lanesOfAll = 300;
const atOnce = 64;
const coinsOfAll = 50;

/** The number of operations, and each sentence that does not hold of them. */
export interface History {
  readonly operations: number;
  readonly wrong: readonly string[];
}

/**
 * Has the nodes of one store do so many operations beside each other, chosen at random, and checks
 * of each what the others have done: that a message is taken once, that a lane has one holder, that
 * it goes on in order, that a late end is refused, that a value is added once and taken once.
 */
export async function checkHistory(stores: readonly Store[], operations: number): Promise<History> {
  const checker = new Checker(operations);
  const work = stores.flatMap((store) => [
    checker.accepts(store),
    checker.accepts(store),
    checker.answers(store),
    checker.values(store),
  ]);
  await Promise.all(work);
  await checker.rest(stores[0]!);
  return checker.history();
}

class Checker {
  readonly #most: number;
  readonly #wrong: string[] = [];
  #count = 0;
  #accepting = 0;
  #made = 0;
  /** By lane, the texts in the order in which the store says that they were accepted. */
  readonly #accepted = new Map<string, Set<string>>();
  readonly #takenIds = new Set<string>();
  /** By lane, the token of whoever answers now. */
  readonly #holders = new Map<string, string>();
  /** By lane, the number of the message that was answered last. */
  readonly #last = new Map<string, number>();
  readonly #answered = new Set<string>();
  #duplicates = 0;
  readonly #added = new Map<string, number>();
  readonly #taken = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  history(): History {
    return { operations: this.#count, wrong: this.#wrong.slice(0, 20) };
  }

  /** Accepts batches; every third message was delivered before, maybe to another node. */
  async accepts({ lanes }: Store): Promise<void> {
    this.#accepting += 1;
    while (this.#count < this.#most) {
      const ids = Array.from({ length: atOnce }, () =>
        Math.random() < 0.33 ? Math.floor(Math.random() * this.#made) : (this.#made += 1),
      );
      const messages = [...new Set(ids)].map((id) =>
        directMessage({ channel: "t", id: `${id}`, from: `s${id % lanesOfAll}`, text: `${id}` }),
      );
      const outcomes = await lanes.accept(messages);
      this.#count += messages.length;
      for (const [at, message] of messages.entries()) this.#tookIn(message.id, laneOf(message), outcomes[at]);
      // No more waits than the nodes can answer.
      while (this.#takenIds.size - this.#answered.size > 5_000) await setImmediate();
    }
    this.#accepting -= 1;
  }

  #tookIn(id: string, lane: string, outcome: string | undefined): void {
    if (outcome === "duplicate") return void (this.#duplicates += 1);
    if (this.#takenIds.has(id)) this.#wrong.push(`${id} was accepted twice`);
    this.#takenIds.add(id);
    const all = this.#accepted.get(lane) ?? new Set();
    this.#accepted.set(lane, all.add(id));
  }

  /** Claims and answers until nothing is left. */
  async answers({ lanes }: Store): Promise<void> {
    for (;;) {
      const claims = await lanes.claim(atOnce, leaseMs);
      this.#count += claims.length;
      if (claims.length > 0) await Promise.all(claims.map((claim) => this.#answer(lanes, claim)));
      else if (this.#accepting > 0 || this.#takenIds.size > this.#answered.size) await setImmediate();
      else return;
    }
  }

  async #answer(lanes: Store["lanes"], claim: Claim): Promise<void> {
    const { lane, token, number, message } = claim;
    if (this.#holders.has(lane)) this.#wrong.push(`${lane} was given to two`);
    this.#holders.set(lane, token);
    if ((this.#last.get(lane) ?? 0) > number) this.#wrong.push(`${message.id} came out of order`);
    const chance = Math.random();
    if (chance < 0.05) return this.#putBack(lanes, claim);
    if (chance < 0.15) this.#hold(await lanes.renew(claim, leaseMs), `${lane} was not renewed`);
    const turn = [{ role: "user", parts: textParts(message.id) }] as const;
    await lanes.answer(claim, `re: ${message.id}`, lane, turn);
    if (chance > 0.95) await lanes.answer(claim, `re: ${message.id}`, lane, turn);
    if (this.#answered.has(message.id)) this.#wrong.push(`${message.id} was answered twice`);
    this.#answered.add(message.id);
    this.#last.set(lane, number);
    this.#holders.delete(lane);
    await lanes.ack(claim);
    this.#count += 2;
  }

  /** Puts a message back; its claim is over then, and what it would still do is refused. */
  async #putBack(lanes: Store["lanes"], claim: Claim): Promise<void> {
    this.#holders.delete(claim.lane);
    await lanes.retry(claim, { afterMs: 0, reason: "again" });
    this.#hold(!(await lanes.renew(claim, leaseMs)), `${claim.lane} was renewed after its end`);
    const late = lanes.answer(claim, "late", claim.lane, []).then(
      () => false,
      (error: { readonly code?: string }) => error.code === "LEASE_LOST",
    );
    this.#hold(await late, `${claim.message.id} was answered by a claim that had ended`);
    this.#count += 3;
  }

  #hold(isSo: boolean, otherwise: string): void {
    this.#count += 1;
    if (!isSo) this.#wrong.push(otherwise);
  }

  /** Adds and takes values under few names, so that all want the same ones. */
  async values({ values }: Store): Promise<void> {
    while (this.#count < this.#most) {
      const coin = `c${Math.floor(Math.random() * coinsOfAll)}`;
      if (await values.add("coins", coin, 1)) this.#added.set(coin, (this.#added.get(coin) ?? 0) + 1);
      if ((await values.take("coins", coin)) !== undefined)
        this.#taken.set(coin, (this.#taken.get(coin) ?? 0) + 1);
      this.#count += 2;
    }
  }

  /** Checks what is left once all have ended. */
  async rest({ lanes, sessions, values }: Store): Promise<void> {
    const { waiting, running, deadLetters } = await lanes.stats();
    this.#hold(waiting + running + deadLetters === 0, `left: ${waiting} ${running} ${deadLetters}`);
    this.#hold(this.#duplicates > 0, "nothing was delivered twice");
    for (const id of this.#takenIds) this.#hold(this.#answered.has(id), `${id} was lost`);
    for (const [coin, count] of this.#added) {
      const left = (await values.get("coins", coin)) === undefined ? 0 : 1;
      const taken = this.#taken.get(coin) ?? 0;
      this.#hold(count === taken + left, `${coin} was added ${count} times and taken ${taken}`);
    }
    for (const [lane, ids] of this.#accepted) {
      const kept = await sessions.recent(lane, ids.size + 1);
      this.#hold(kept.length === ids.size, `${lane} has ${kept.length} turns of ${ids.size}`);
    }
  }
}
