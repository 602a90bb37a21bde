import { offerOf } from "@gantry/sdk/fill";
import type { CommandContext } from "@gantry/sdk";
import type { Answers } from "./answers.ts";
import { Cancelled, type Ask } from "./ask.ts";
import { askKey } from "./ask-key.ts";
import { askProvider } from "./ask-provider.ts";
import type { OnboardNeeds } from "./needs.ts";
import { configuredModel, listModels, tryAnswer } from "./try-provider.ts";

type ProviderAnswers = Pick<Answers, "provider" | "address" | "apiKey" | "model">;

/** A list up to here is shown whole; a longer one is searched. */
const SHORT_LIST = 12;
const TYPE_IT = " ";

/**
 * Provider, key and model, until the provider has answered with them or the person takes them as
 * they are.
 */
export async function askModelProvider(
  ask: Ask,
  run: CommandContext,
  needs: OnboardNeeds,
  given: Partial<Answers>,
): Promise<ProviderAnswers> {
  const { configFile, offers } = needs;
  const keyed = async (answers: ProviderAnswers): Promise<ProviderAnswers> => ({
    ...answers,
    apiKey: await askKey(ask, answers.provider, offerOf(offers, answers.provider), process.env),
  });
  const { provider, address, apiKey, model } = given;
  let answers: ProviderAnswers =
    provider === undefined ? await askProvider(ask, offers) : { provider, address };
  answers = { ...(apiKey === undefined ? await keyed(answers) : { ...answers, apiKey }), model };
  for (;;) {
    if (offerOf(offers, answers.provider)?.offline) return answers;
    try {
      if (answers.model === undefined) {
        const looking = answers;
        const known = await ask.while(
          "Asking for the models",
          () => listModels(needs, looking, run.signal),
          countOf,
        );
        answers = { ...answers, model: await askModel(ask, known, configuredModel(configFile)) };
      }
      const trying = answers;
      await ask.while(
        "Asking for one word",
        () => tryAnswer(needs, trying, run.signal),
        (text) => `It answers: ${text.slice(0, 80)}`,
      );
      return answers;
    } catch (error) {
      if (error instanceof Cancelled || run.signal.aborted) throw error;
    }
    const next = await ask.choice("What shall be changed?", [
      { value: "key", label: "The key" },
      { value: "model", label: "The model" },
      { value: "provider", label: "The provider" },
      { value: "nothing", label: "Nothing: try once more" },
      { value: "keep", label: "Keep it although it did not answer" },
    ]);
    if (next === "keep") return answers;
    if (next === "provider") answers = await keyed(await askProvider(ask, offers));
    if (next === "key") answers = await keyed(answers);
    if (next === "model") answers = { ...answers, model: await askName(ask, answers.model) };
  }
}

function countOf(known: readonly string[] | undefined): string {
  return known ? `It offers ${known.length} models.` : "It has no list of models.";
}

async function askModel(
  ask: Ask,
  known: readonly string[] | undefined,
  before: string | undefined,
): Promise<string | undefined> {
  if (!known || known.length === 0) return askName(ask, before);
  const choices = [
    ...known.map((value) => ({ value, label: value })),
    { value: TYPE_IT, label: "Another one, typed by hand" },
  ];
  const chosen =
    known.length > SHORT_LIST
      ? await ask.search("Which model?", choices)
      : await ask.choice("Which model?", choices, before);
  return chosen === TYPE_IT ? askName(ask, before) : chosen;
}

async function askName(ask: Ask, before: string | undefined): Promise<string | undefined> {
  const name = await ask.text("Which model? (empty: the provider's own choice)", {
    initial: before ?? "",
    check: () => undefined,
  });
  return name === "" ? undefined : name;
}
