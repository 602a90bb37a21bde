import type { ModelAnswer } from "@gantry/sdk";
import type { UsageSum } from "@gantry/sdk/fill";
import type { Prices } from "./config.ts";

type Tokens = Pick<ModelAnswer, "model" | "inputTokens" | "outputTokens" | "cachedTokens">;

/**
 * Millionths of a dollar, which is what a token costs where a million of them cost a dollar; null
 * without a price.
 */
export function microsOf(answer: Tokens, prices: Prices): number | null {
  const { model, inputTokens, outputTokens, cachedTokens } = answer;
  const price = model !== undefined && Object.hasOwn(prices, model) ? prices[model] : undefined;
  if (inputTokens + outputTokens === 0) return 0;
  if (!price) return null;
  const cached = Math.min(cachedTokens, inputTokens);
  const sent = (inputTokens - cached) * price.input + cached * (price.cached ?? price.input);
  return Math.round(sent + outputTokens * price.output);
}

/** As people read it, with how many requests have no price. */
export function costOf({ micros, unpriced }: Pick<UsageSum, "micros" | "unpriced">): string {
  const cost = `$${(micros / 1e6).toFixed(4)}`;
  if (unpriced === 0) return cost;
  return `${cost} + ${unpriced} ${unpriced === 1 ? "request" : "requests"} without a price`;
}
