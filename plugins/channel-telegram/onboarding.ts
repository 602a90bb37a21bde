import type { OnboardingStep } from "@gantry/sdk";
import { askPeople } from "@gantry/sdk/channel";
import { isBotToken, personForm } from "./settings.ts";

export const onboarding: Pick<OnboardingStep, "hint" | "ask"> = {
  hint: "a bot of your own, made in a minute by @BotFather",
  async ask(questions) {
    const token = await questions.secret("Token of the bot, as @BotFather gave it");
    const ids = await askPeople(questions, {
      question:
        "Who may write? Numbers of people, with commas; @userinfobot tells yours. The first is the owner.",
      kind: "the number of a person",
      form: personForm,
      example: "123456789",
      isSecret: isBotToken,
    });
    const people = ids.map(Number);
    return {
      "channels.telegram.bot_token": token,
      "channels.telegram.allowed_user_ids": people,
      "channels.telegram.owners": people.slice(0, 1),
    };
  },
};
