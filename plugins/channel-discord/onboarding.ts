import type { OnboardingStep } from "@gantry/sdk";
import { wrongKindOfToken } from "./settings.ts";

export const onboarding: OnboardingStep = {
  title: "Discord",
  hint: "a bot of your own, made at discord.com/developers/applications",
  async ask(questions) {
    const token = await questions.secret("Token of the bot, from the page Bot of your application");
    const ids = await questions.text(
      "Who may write? Ids of people, with commas; Copy User ID tells them in developer mode. The first is the owner.",
      { check: wrongIds },
    );
    const inServers = await questions.yes(
      "Shall it answer in servers too, when it is named? Then switch on Message Content Intent on the same page.",
      true,
    );
    const people = split(ids);
    return {
      "channels.discord.bot_token": token,
      "channels.discord.allowed_user_ids": people,
      "channels.discord.owners": people.slice(0, 1),
      "channels.discord.groups": inServers ? "mention" : "off",
    };
  },
  check: "discord",
};

function split(text: string): string[] {
  return text.split(/[,\s]+/).filter((part) => part !== "");
}

function wrongIds(text: string): string | undefined {
  const parts = split(text);
  if (parts.some((part) => wrongKindOfToken(part) === undefined))
    return "That is the token; who may write is an id of a person.";
  const wrong = parts.find((part) => !/^[0-9]{17,20}$/.test(part));
  if (wrong !== undefined) return `${wrong} is not the id of a person such as 123456789012345678.`;
  return parts.length === 0 ? "Please name at least one id." : undefined;
}
