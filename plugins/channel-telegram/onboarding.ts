import type { OnboardingStep } from "@gantry/sdk";
import { isBotToken } from "./settings.ts";

export const onboarding: OnboardingStep = {
  title: "Telegram",
  hint: "a bot of your own, made in a minute by @BotFather",
  async ask(questions) {
    const token = await questions.secret("Token of the bot, as @BotFather gave it");
    const ids = await questions.text(
      "Who may write? Numbers of people, with commas; @userinfobot tells yours. The first is the owner.",
      { check: wrongIds },
    );
    const people = split(ids).map(Number);
    return {
      "channels.telegram.bot_token": token,
      "channels.telegram.allowed_user_ids": people,
      "channels.telegram.owners": people.slice(0, 1),
    };
  },
  check: "telegram",
};

function split(text: string): string[] {
  return text.split(/[,\s]+/).filter((part) => part !== "");
}

function wrongIds(text: string): string | undefined {
  const parts = split(text);
  if (parts.some(isBotToken)) return "That is the token; who may write is a number of a person.";
  const wrong = parts.find((part) => !/^[1-9][0-9]{0,15}$/.test(part));
  if (wrong !== undefined) return `${wrong} is not the number of a person such as 123456789.`;
  return parts.length === 0 ? "Please name at least one number." : undefined;
}
