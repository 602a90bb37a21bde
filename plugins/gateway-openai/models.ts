import type { Agents } from "@gantry/sdk";
import { RefusedRequest } from "./bad-request.ts";
import { errors } from "./errors.ts";

const plain = "gantry-plain";
/** Names that a client may ask for as `model`, beside the agents. */
const ownModels: readonly string[] = ["gantry", plain];
export const ofAgent = "gantry/";

/** Returns the agent that a model stands for. */
export function agentIn(model: string): string | undefined {
  return model.startsWith(ofAgent) ? model.slice(ofAgent.length) : undefined;
}

/** Returns true for the model alone, without tools. */
export function isPlain(model: string): boolean {
  return model === plain;
}

/** Returns what a client may ask for as `model`. */
export function modelsOf(agents: Agents | undefined): readonly string[] {
  return [...ownModels, ...(agents?.list() ?? []).map(({ name }) => ofAgent + name)];
}

/** Throws {@link RefusedRequest} for a model that there is not. */
export function checkModel(model: string, agents: Agents | undefined): void {
  const models = modelsOf(agents);
  if (models.includes(model)) return;
  throw new RefusedRequest(404, "model", errors.OPENAI_NO_MODEL(model, models.join(", ")));
}
