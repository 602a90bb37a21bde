import { GantryError, type Plugin } from "@gantry/sdk";
import type { Problem } from "../config/wrong-at.ts";

/** The same error, with the plugin and its step of onboarding, where that asks for all that a channel lacks. */
export function setupFault({ name, onboarding }: Plugin, error: Error): Error {
  if (!(error instanceof GantryError) || onboarding === undefined || onboarding.sets === "tool") return error;
  const fault: Pick<Problem, "lacking" | "curedBy"> = { lacking: name, curedBy: onboarding.title };
  return Object.assign(error, fault);
}
