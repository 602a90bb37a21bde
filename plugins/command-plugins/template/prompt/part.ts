import type { PromptPart } from "@gantry/sdk";

/** The host adds its own rules behind all parts. What changes with time goes into note(), which stands before a person's words. */
export function createPart(house: string): PromptPart {
  return {
    name: "example",
    budget: 500,
    text: ({ conversation }) =>
      conversation === "group" ? `${house} Keep it short: several people read along.` : house,
    note: ({ last }) => (last === undefined ? "This person writes for the first time." : undefined),
  };
}
