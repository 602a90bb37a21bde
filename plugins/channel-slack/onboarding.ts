import type { OnboardingStep } from "@gantry/sdk";
import { manifestAddress } from "./manifest.ts";
import { isToken } from "./settings.ts";

export const onboarding: OnboardingStep = {
  title: "Slack",
  hint: "an app of your own in your workspace, made from a manifest",
  async ask(questions) {
    const bot_token = await questions.secret(
      [
        "This address makes the app; choose the workspace, create it, then Install App.",
        manifestAddress,
        "Bot User OAuth Token (xoxb-…), from OAuth & Permissions",
      ].join("\n"),
    );
    const app_token = await questions.secret(
      "App-level token (xapp-…), made under Basic Information with the scope connections:write",
    );
    const ids = await questions.text(
      "Who may write? Member ids (U…), with commas; in Slack: profile, three dots, Copy member ID. The first is the owner.",
      { check: wrongIds },
    );
    const people = split(ids);
    return {
      "channels.slack.bot_token": bot_token,
      "channels.slack.app_token": app_token,
      "channels.slack.allowed_users": people,
      "channels.slack.owners": people.slice(0, 1),
    };
  },
  check: "slack",
};

function split(text: string): string[] {
  return text.split(/[,\s]+/).filter((part) => part !== "");
}

function wrongIds(text: string): string | undefined {
  const parts = split(text);
  if (parts.some((part) => isToken("bot_token", part) || isToken("app_token", part)))
    return "That is a token; who may write is the member id of a person.";
  const wrong = parts.find((part) => !/^[UW][A-Z0-9]{2,20}$/.test(part));
  if (wrong !== undefined) return `${wrong} is not a member id such as U024BE7LH.`;
  return parts.length === 0 ? "Please name at least one member id." : undefined;
}
