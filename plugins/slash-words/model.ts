import type { ChatCommand, ChatCommandRun, Providers } from "@gantry/sdk";

/** The time that a provider has to list its models. */
const listMs = 5_000;
const most = 50;

/** Makes the word that says and changes which model answers in a conversation. */
export function modelCommand(providers: Providers): ChatCommand {
  return {
    name: "model",
    args: "[name]",
    summary:
      "which model answers here, and which could; with a name, that one from now on; `default` goes back",
    trust: "owner",
    may: "talk",
    async run(run) {
      const { args, conversation } = run;
      if (args !== "") await conversation.useModel(args === "default" ? undefined : args);
      const { provider, model = "its default model" } = await conversation.model();
      const told = `${model} (${provider ?? "the configured provider"}).`;
      if (args !== "") return `From the next message on: ${told}`;
      return [told, ...(await choices(providers, provider, run))].join("\n");
    },
  };
}

/** Lists what can be chosen, or says why nothing is listed. */
async function choices(
  providers: Providers,
  provider: string | undefined,
  { signal }: ChatCommandRun,
): Promise<readonly string[]> {
  const late = AbortSignal.timeout(listMs);
  try {
    const found = await providers.resolve(provider);
    if (!found.models) return [];
    const all = await found.models(signal ? AbortSignal.any([signal, late]) : late);
    const more = all.length > most ? [`… and ${all.length - most} more`] : [];
    return ["/model NAME chooses one of:", ...all.slice(0, most), ...more];
  } catch (error) {
    return [`No models can be listed: ${(error as Error).message}`];
  }
}
