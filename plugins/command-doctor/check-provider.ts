import { GantryError, type CheckRow, type ConfigFile, type Providers, type Provider } from "@gantry/sdk";

interface Wanted {
  readonly id: string | undefined;
  readonly model: string | undefined;
}

function wanted(configFile: ConfigFile): Wanted {
  const read = (...keys: readonly string[]): string | undefined =>
    keys
      .map((key) => configFile.get(key))
      .find((value): value is string => typeof value === "string" && value !== "");
  return { id: read("agent.provider", "default_provider"), model: read("agent.model", "default_model") };
}

/**
 * Which provider and model a turn would get, and where the credential comes from; asks nobody
 * outside.
 */
export async function checkProvider(configFile: ConfigFile, models: Providers): Promise<readonly CheckRow[]> {
  const { id, model } = wanted(configFile);
  const fallbacks = configFile.get("reliability.fallback_providers");
  const others = Array.isArray(fallbacks)
    ? fallbacks.filter((other): other is string => typeof other === "string")
    : [];
  return Promise.all([
    checkOne("provider", models, id, model),
    ...others.map((other, i) => checkOne(`fallback provider ${i + 1}`, models, other, undefined)),
  ]);
}

async function checkOne(
  what: string,
  models: Providers,
  id: string | undefined,
  model: string | undefined,
): Promise<CheckRow> {
  try {
    const provider = await models.resolve(id, model);
    const source = await provider.credential?.();
    if (id === undefined)
      return {
        what,
        state: "warn",
        detail: `none is configured, so ${provider.name} answers`,
        cure: "Run `gantry onboard`.",
      };
    const parts = [model === undefined ? "its default model" : `model ${model}`];
    if (source !== undefined) parts.push(`credential: ${source}`);
    const detail = `${provider.name} (${parts.join("; ")})`;
    const { needsCredential, keyWithheld } = provider;
    const isMissed = source === "none" && (needsCredential || keyWithheld);
    if (!isMissed) return { what, state: "ok", detail };
    const cure = keyWithheld
      ? `${keyWithheld}.`
      : "Give it a credential with `gantry onboard`: every turn fails without one.";
    return { what, state: needsCredential ? "fail" : "warn", detail, cure };
  } catch (error) {
    return {
      what,
      state: "fail",
      detail: sentence(error),
      cure: "Run `gantry onboard`, or mend the configuration.",
    };
  }
}

/**
 * Asks the provider for its models, which needs the address, the network and mostly the credential.
 */
export async function checkAnswer(
  configFile: ConfigFile,
  models: Providers,
  signal: AbortSignal,
): Promise<readonly CheckRow[]> {
  const { id, model } = wanted(configFile);
  const provider = await models.resolve(id, model).catch(() => undefined);
  return provider ? [await answer(provider, model, signal)] : [];
}

async function answer(provider: Provider, model: string | undefined, signal: AbortSignal): Promise<CheckRow> {
  const what = "provider answers";
  if (!provider.models)
    return { what, state: "ok", detail: `${provider.name} has no list of models to ask for` };
  try {
    const known = await provider.models(signal);
    const detail = `${provider.name} offers ${known.length} ${known.length === 1 ? "model" : "models"}`;
    if (
      model === undefined ||
      known.length === 0 ||
      known.some((name) => name === model || name.endsWith(`/${model}`))
    )
      return { what, state: "ok", detail };
    const cure = "Compare the name with `gantry models refresh`.";
    return { what, state: "warn", detail: `${detail}, and \`${model}\` is not among them`, cure };
  } catch (error) {
    const noList = error instanceof GantryError && error.code.endsWith("_NO_MODEL_LIST");
    const detail = sentence(error);
    return noList
      ? { what, state: "warn", detail }
      : { what, state: "fail", detail, cure: "Mend it, then run `gantry doctor` again." };
  }
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
