import type { OnboardingStep } from "@gantry/sdk";
import { askPeople } from "@gantry/sdk/channel";
import { personForm, wrongKindOfToken } from "./settings.ts";

export const onboarding: Pick<OnboardingStep, "hint" | "ask"> = {
  hint: "a bot of your own, made at discord.com/developers/applications",
  async ask(questions) {
    const token = await questions.secret("Token of the bot, from the page Bot of your application");
    const people = await askPeople(questions, {
      question:
        "Who may write? Ids of people, with commas; Copy User ID tells them in developer mode. The first is the owner.",
      kind: "the id of a person",
      form: personForm,
      example: "123456789012345678",
      isSecret: (text) => wrongKindOfToken(text) === undefined,
    });
    const inServers = await questions.yes(
      "Shall it answer in servers too, when it is named? Then switch on Message Content Intent on the same page.",
      true,
    );
    return {
      "channels.discord.bot_token": token,
      "channels.discord.allowed_user_ids": people,
      "channels.discord.owners": people.slice(0, 1),
      "channels.discord.groups": inServers ? "mention" : "off",
    };
  },
};
