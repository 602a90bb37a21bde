import type { ProviderOffer } from "@gantry/sdk";
import type { Answers } from "./answers.ts";
import type { Ask, Choice } from "./ask.ts";
import { checkVariable } from "./check-variable.ts";

/**
 * Asks for the source of the key; undefined: nothing is written, the provider finds it or needs
 * none.
 */
export async function askKey(
  ask: Ask,
  provider: string,
  offer: ProviderOffer | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Answers["apiKey"]> {
  if (offer?.offline) return undefined;
  const own = offer?.keyVariable;
  const docs = offer?.docs ? ` (${offer.docs})` : "";
  const choices: Choice<"own" | "value" | "variable" | "none">[] = [
    ...(own !== undefined && env[own]
      ? [{ value: "own" as const, label: `${own}, which is set`, hint: "nothing is written down" }]
      : []),
    { value: "value", label: "Type it", hint: "kept in config.toml, which only you can read" },
    { value: "variable", label: "An environment variable", hint: own ?? "read at every start" },
    { value: "none", label: "None", hint: offer?.withoutKey ?? "the server needs none" },
  ];
  const needed = own !== undefined && offer?.keyOptional !== true;
  const preferred = choices[0]?.value === "own" ? "own" : needed ? "value" : "none";
  const from = await ask.choice(`Where is the key of ${provider}?${docs}`, choices, preferred);
  if (from === "value") return ask.secret("The key");
  if (from !== "variable") return undefined;
  return `\${${await ask.text("Which variable?", { usual: own ?? "", check: (name) => wrongVariable(name, env) })}}`;
}

function wrongVariable(name: string, env: NodeJS.ProcessEnv): string | undefined {
  try {
    checkVariable(name, env);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
