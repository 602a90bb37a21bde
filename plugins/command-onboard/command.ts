import { allOf, offerOf } from "@gantry/sdk/fill";
import type { Command, CommandContext, ProviderOffer } from "@gantry/sdk";
import { autonomyLevels, changesOf, nextCommands, type Answers } from "./answers.ts";
import { checkVariable } from "./check-variable.ts";
import { errors } from "./errors.ts";
import type { OnboardNeeds } from "./needs.ts";
import { configuredModel, listModels, tryAnswer } from "./try-provider.ts";

export function onboardCommand(needs: OnboardNeeds): Command {
  return {
    name: "onboard",
    despiteProblems: true,
    summary:
      "set up provider, key, model, workspace, autonomy and a channel: by questions, or by flags without any",
    options: [
      { flags: "--provider <id>", summary: "its id; for some an address stands behind it, as in NAME:<url>" },
      {
        flags: "--api-url <url>",
        summary: "where a provider answers that has a key in config.toml for that",
      },
      {
        flags: "--api-key-env <name>",
        summary: "take the key from this environment variable at every start",
      },
      {
        flags: "--api-key <key>",
        summary: "write this key into config.toml; other users may see it while the command runs",
      },
      { flags: "--model <name>", summary: "the model, as the provider knows it" },
      { flags: "--workspace <path>", summary: "the directory that tools work in" },
      { flags: "--autonomy <level>", summary: Object.keys(autonomyLevels).join(", ") },
      { flags: "--tools", summary: "also ask for a tool that has to be set up, such as a device" },
      { flags: "--no-test", summary: "write without asking the provider first" },
      { flags: "--yes", summary: "ask nothing; what is not given stays as it is" },
    ],
    async run(run) {
      const asks = run.interactive && !run.options["yes"];
      const lasting = allOf(needs.runtime.problems.filter(({ curedBy }) => !asks || curedBy === undefined));
      if (lasting) throw lasting;
      const given = readFlags(run, process.env, needs.offers);
      if (asks) return (await import("./wizard.ts")).wizard(run, needs, given);
      const { configFile } = needs;
      const configured = configFile.get("default_provider");
      const provider =
        given.provider ??
        (run.options["yes"]
          ? typeof configured === "string"
            ? configured
            : offlineIn(needs.offers)
          : undefined);
      if (provider === undefined) throw errors.ONBOARD_NO_TERMINAL();
      return byFlags(run, needs, { ...given, provider });
    },
  };
}

/**
 * Reads the command line; throws for flags that cannot be meant. Any other fault is found by the
 * configuration's own check.
 */
export function readFlags(
  { options }: Pick<CommandContext, "options">,
  env: NodeJS.ProcessEnv,
  offers: ReadonlyMap<string, ProviderOffer>,
): Partial<Answers> {
  const text = (name: string): string | undefined =>
    typeof options[name] === "string" ? options[name] : undefined;
  const variable = text("apiKeyEnv");
  if (variable !== undefined && text("apiKey") !== undefined) throw errors.ONBOARD_TWO_KEYS();
  if (variable !== undefined) checkVariable(variable, env);
  const autonomy = text("autonomy");
  if (autonomy !== undefined && !Object.hasOwn(autonomyLevels, autonomy))
    throw errors.ONBOARD_BAD_AUTONOMY(autonomy);
  const provider = text("provider");
  const address = text("apiUrl");
  if (address !== undefined && provider !== undefined && !offerOf(offers, provider)?.addressKey)
    throw errors.ONBOARD_NO_ADDRESS(provider);
  const found = {
    provider,
    address,
    apiKey: variable === undefined ? text("apiKey") : `\${${variable}}`,
    model: text("model"),
    workspace: text("workspace"),
    autonomy,
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

/** Tries the provider first, then writes all or nothing. */
async function byFlags(run: CommandContext, needs: OnboardNeeds, given: Answers): Promise<number> {
  const { configFile, runtime } = needs;
  let answers = given;
  if (run.options["test"] !== false) {
    try {
      answers = { ...answers, model: answers.model ?? (await onlyModel(needs, answers, run.signal)) };
      run.err(`${answers.provider} answers: ${(await tryAnswer(needs, answers, run.signal)).slice(0, 200)}`);
    } catch (error) {
      if ((error as { exit?: unknown }).exit === 2) throw error;
      throw errors.ONBOARD_TEST_FAILED(error);
    }
  }
  await configFile.set(changesOf(answers, needs));
  run.out(`Wrote ${runtime.configFile}`);
  for (const line of nextCommands(answers)) run.err(line);
  return 0;
}

/** Returns the provider that answers without any set-up. */
function offlineIn(offers: ReadonlyMap<string, ProviderOffer>): string | undefined {
  return [...offers.values()].find(({ offline }) => offline)?.name;
}

/** If a server offers one model and none is configured, that one is meant. */
async function onlyModel(
  needs: OnboardNeeds,
  answers: Answers,
  signal: AbortSignal,
): Promise<string | undefined> {
  const isOffline = offerOf(needs.offers, answers.provider)?.offline === true;
  if (isOffline || configuredModel(needs.configFile) !== undefined) return undefined;
  const known = await listModels(needs, answers, signal);
  return known?.length === 1 ? known[0] : undefined;
}
