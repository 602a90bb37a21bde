import type { GantryError, Plugin } from "@gantry/sdk";

/** Why a channel was not set up, and the step of onboarding that asks for what it lacks. */
export interface Lacking extends GantryError {
  /** The plugin. */
  readonly lacking: string;
  readonly curedBy: string;
}

/** Returns the error with plugin and onboarding step, if that asks for all that a channel lacks. */
export function setupFault({ name, onboarding }: Plugin, error: GantryError): GantryError {
  if (onboarding === undefined || onboarding.sets === "tool") return error;
  return Object.assign(error, { lacking: name, curedBy: onboarding.title });
}
