import type { OnboardingStep } from "@gantry/sdk";
import { askPeople } from "@gantry/sdk/channel";
import { manifestAddress } from "./manifest.ts";
import { isToken, personForm } from "./settings.ts";

export const onboarding: Pick<OnboardingStep, "hint" | "ask"> = {
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
    const people = await askPeople(questions, {
      question:
        "Who may write? Member ids (U…), with commas; in Slack: profile, three dots, Copy member ID. The first is the owner.",
      kind: "a member id",
      form: personForm,
      example: "U024BE7LH",
      isSecret: (text) => isToken("bot_token", text) || isToken("app_token", text),
    });
    return {
      "channels.slack.bot_token": bot_token,
      "channels.slack.app_token": app_token,
      "channels.slack.allowed_users": people,
      "channels.slack.owners": people.slice(0, 1),
    };
  },
};
