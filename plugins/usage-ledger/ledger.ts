import type { Budget, BudgetRequest, BudgetVerdict, Usage, UsageSum } from "@gantry/sdk/fill";
import type { Logger, ModelAnswer } from "@gantry/sdk";
import { ask, refuse } from "@gantry/sdk";
import type { BudgetConfig, Prices } from "./config.ts";
import { errors } from "./errors.ts";
import { microsOf } from "./prices.ts";

const DAY = 86_400_000;

interface Limit {
  readonly key: string;
  readonly most: number | undefined;
  readonly perUser: boolean;
  readonly spent: (sum: UsageSum) => number;
  readonly shown: (amount: number) => string;
}

const tokens = {
  spent: ({ input, output }: UsageSum) => input + output,
  shown: (n: number) => `${n} tokens`,
};
const dollars = { spent: ({ micros }: UsageSum) => micros / 1e6, shown: (n: number) => `$${n.toFixed(2)}` };

/**
 * Writes a row for every request, and says before each whether the day's budget has room for it.
 */
export class Ledger implements Budget {
  readonly #usage: Usage;
  readonly #budget: BudgetConfig;
  readonly #prices: Prices;
  readonly #log: Logger;
  #writing: Promise<void> = Promise.resolve();

  constructor(usage: Usage, { budget, prices }: { budget: BudgetConfig; prices: Prices }, log: Logger) {
    this.#usage = usage;
    this.#budget = budget;
    this.#prices = prices;
    this.#log = log;
  }

  get limits(): readonly Limit[] {
    const { tokens_per_day, usd_per_day, per_user_tokens_per_day, per_user_usd_per_day } = this.#budget;
    return [
      { key: "budget.tokens_per_day", most: tokens_per_day, perUser: false, ...tokens },
      { key: "budget.usd_per_day", most: usd_per_day, perUser: false, ...dollars },
      { key: "budget.per_user_tokens_per_day", most: per_user_tokens_per_day, perUser: true, ...tokens },
      { key: "budget.per_user_usd_per_day", most: per_user_usd_per_day, perUser: true, ...dollars },
    ].filter(({ most }) => most !== undefined);
  }

  async check({ user, model, trust }: BudgetRequest): Promise<BudgetVerdict | void> {
    const { limits } = this;
    if (limits.length === 0) return;
    await this.#writing;
    const verdict = this.#budget.on_limit === "ask" ? ask : refuse;
    if (
      limits.some(({ key }) => key.includes("usd")) &&
      model !== undefined &&
      !Object.hasOwn(this.#prices, model)
    )
      return { ...refuse(errors.BUDGET_NO_PRICE(model, model)), configuration: true };
    const until = startOfDay() + DAY;
    for (const { key, most = 0, perUser, spent, shown } of limits) {
      const amount = spent(await this.today(perUser ? user : undefined));
      const share = perUser || trust !== "guest" ? most : most * this.#budget.guest_share;
      if (amount < share) continue;
      if (amount < most) return { ...refuse(errors.BUDGET_GUESTS(key)), until };
      return { ...verdict(errors.BUDGET_SPENT(shown(amount), shown(most), key)), until };
    }
  }

  /** Returns the sum of all requests of this day, or of one person's. */
  async today(user?: string): Promise<UsageSum> {
    const [sum] = await this.#usage.sum("day", startOfDay(), user);
    return (
      sum ?? {
        key: "",
        requests: 0,
        failed: 0,
        input: 0,
        output: 0,
        cached: 0,
        micros: 0,
        estimated: 0,
        unpriced: 0,
      }
    );
  }

  /** One after the other, so that a check that comes later counts it. */
  record(answer: ModelAnswer): Promise<void> {
    const { user, session, agent, purpose, provider, model, ms, outcome } = answer;
    const row = {
      at: Date.now(),
      user,
      session,
      ...(agent !== undefined && { agent }),
      purpose,
      provider,
      model: model ?? null,
      ms,
      outcome,
      input: answer.inputTokens,
      output: answer.outputTokens,
      cached: answer.cachedTokens,
      ...(answer.isEstimated && { isEstimated: true }),
      micros: microsOf(answer, this.#prices),
    };
    this.#writing = this.#writing
      .then(() => this.#usage.add(row))
      .catch((error: unknown) =>
        this.#log.error(
          { err: error },
          "What a request cost could not be written down, so it counts for no budget.",
        ),
      );
    return this.#writing;
  }

  /** Resolves once everything told so far is written. */
  async written(): Promise<void> {
    await this.#writing;
  }
}

/** Returns the first millisecond of today, by UTC. */
function startOfDay(): number {
  return Math.floor(Date.now() / DAY) * DAY;
}
