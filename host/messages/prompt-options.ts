import { autonomyLevels, isWider } from "@gantry/sdk/fill";
import type { Autonomy, PromptOptions } from "@gantry/sdk";
import { errors } from "./errors.ts";

const agentForm = /^[a-z][a-z0-9-]{0,31}$/;
const efforts: readonly unknown[] = [undefined, "minimal", "low", "medium", "high"];

/** Throws if an option cannot be meant: a bound that is not a number would not bound. */
export function checkPromptOptions(options: PromptOptions): void {
  const { agent, effort, budget, maxTokens, temperature = 0 } = options;
  if (agent !== undefined && !agentForm.test(agent))
    throw errors.PROMPT_BAD_OPTION("agent", shown(agent), "lower case letters, digits and -, 32 at most");
  if (!efforts.includes(effort))
    throw errors.PROMPT_BAD_OPTION("effort", shown(effort), "minimal, low, medium or high");
  if (!isBound(budget?.tokens))
    throw errors.PROMPT_BAD_OPTION("budget.tokens", shown(budget?.tokens), "a whole number from 1 on");
  if (!isBound(maxTokens))
    throw errors.PROMPT_BAD_OPTION("maxTokens", shown(maxTokens), "a whole number from 1 on");
  if (!(temperature >= 0 && temperature <= 2))
    throw errors.PROMPT_BAD_OPTION("temperature", shown(temperature), "a number from 0 to 2");
}

type Levelled = Pick<PromptOptions, "approvals" | "autonomy">;

/**
 * Returns the options as a turn within `around` may have them; throws AUTONOMY_WIDER. A call that
 * `autonomous` refuses unasked gets no yes in a narrower turn, as nobody has said one.
 */
export function withinLevel<T extends Levelled>(
  options: T,
  configured: Autonomy,
  around: Autonomy | undefined,
): T {
  const { autonomy = around } = options;
  if (autonomy === undefined) return options;
  if (!autonomyLevels.includes(autonomy))
    throw errors.PROMPT_BAD_OPTION("autonomy", shown(autonomy), autonomyLevels.join(", "));
  const most = around ?? configured;
  if (isWider(autonomy, most)) throw errors.AUTONOMY_WIDER(most, autonomy);
  const isNarrowed = configured === "autonomous" && autonomy !== configured;
  return { ...options, autonomy, ...(isNarrowed && options.approvals === "yes" && { approvals: "none" }) };
}

function isBound(value: unknown): boolean {
  return value === undefined || (Number.isInteger(value) && (value as number) > 0);
}

function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value.slice(0, 40)) : String(value);
}
