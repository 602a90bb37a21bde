import type { GantryError, Plugin } from "@gantry/sdk";

/** The same error, with the plugin and its step of onboarding, where that asks for all that a channel lacks. */
export function setupFault({ name, onboarding }: Plugin, error: GantryError): GantryError {
  if (onboarding === undefined || onboarding.sets === "tool") return error;
  return Object.assign(error, { lacking: name, curedBy: onboarding.title });
}
