import { textParts, type ConfigFile, type Provider } from "@gantry/sdk";
import { ProviderError } from "@gantry/sdk/provider";
import { changesOf, type Answers } from "./answers.ts";
import type { OnboardNeeds } from "./needs.ts";

const LIMIT_MS = 60_000;
const QUESTION = "Answer with the single word: ready";

/**
 * Returns the models that the provider offers under these answers; undefined if it has no list.
 * Throws the fault of address or key.
 */
export async function listModels(
  needs: OnboardNeeds,
  answers: Answers,
  outer: AbortSignal,
): Promise<readonly string[] | undefined> {
  const signal = AbortSignal.any([outer, AbortSignal.timeout(LIMIT_MS)]);
  return withProvider(needs, answers, async (provider) => {
    try {
      return await provider.models?.(signal);
    } catch (error) {
      if (String((error as { code?: unknown }).code).endsWith("_NO_MODEL_LIST")) return undefined;
      throw error;
    }
  });
}

/**
 * One small answer under these answers: what the provider said. A list of models is often given
 * without a key, an answer is not.
 */
export async function tryAnswer(needs: OnboardNeeds, answers: Answers, outer: AbortSignal): Promise<string> {
  const signal = AbortSignal.any([outer, AbortSignal.timeout(LIMIT_MS)]);
  const { configFile } = needs;
  const temperature = configFile.get("default_temperature");
  return withProvider(needs, answers, async (provider) => {
    let text = "";
    const request = {
      model: answers.model ?? configuredModel(configFile),
      messages: [{ role: "user" as const, parts: textParts(QUESTION) }],
      tools: [],
      temperature: typeof temperature === "number" ? temperature : 0.7,
      session: "onboard",
      signal,
    };
    for await (const event of provider.chat(request)) {
      if (event.type === "text") text += event.text;
      if (event.type === "error") throw new ProviderError(event.failure);
    }
    return text.replace(/\s+/g, " ").trim();
  });
}

async function withProvider<T>(
  needs: OnboardNeeds,
  answers: Answers,
  work: (provider: Provider) => Promise<T>,
): Promise<T> {
  const changes = changesOf({ ...answers, channel: undefined }, needs);
  return needs.configFile.trial(changes, async ({ models }) =>
    work(await models.resolve(answers.provider, answers.model)),
  );
}

export function configuredModel(configFile: ConfigFile): string | undefined {
  const model = configFile.get("agent.model") ?? configFile.get("default_model");
  return typeof model === "string" ? model : undefined;
}
