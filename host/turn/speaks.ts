import { textParts } from "@gantry/sdk";
import { collectCompletion } from "./completion.ts";
import type { TurnDeps, TurnInput } from "./turn.ts";

/** The fewest that every server takes. */
const maxTokens = 16;

/** Asks the model the least that can be asked, without tools and history: true where it answers. */
export async function speaks(deps: TurnDeps, input: TurnInput): Promise<boolean> {
  const options = { ...input.options, maxTokens };
  const messages = [{ role: "user", parts: textParts("Say ok.") }] as const;
  const asked = { messages, tools: [], purpose: "probe" };
  const { failure } = await collectCompletion(deps, { ...input, options }, asked);
  return failure === undefined;
}
