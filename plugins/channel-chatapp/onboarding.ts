import { randomBytes } from "node:crypto";
import type { OnboardingStep } from "@gantry/sdk";

export const onboarding: Pick<OnboardingStep, "title" | "hint" | "ask"> = {
  title: "A chat app, by webhooks",
  hint: "a business account of the platform",
  async ask(questions) {
    const keys: Record<string, unknown> = {
      access_token: await questions.secret("Access token of the platform's business account"),
      phone_number_id: await questions.text("Phone number id (not the number itself)"),
      verify_token: await questions.text("Verify token, to be entered at the platform too", {
        initial: randomBytes(16).toString("hex"),
      }),
    };
    const isSigned = await questions.yes(
      "Do you have the app secret, so that webhooks are checked by their signature?",
      true,
    );
    if (isSigned) keys["app_secret"] = await questions.secret("App secret");
    const numbers = await questions.text(
      "Who may write? Numbers as +<country code><number>, with commas, or * for everyone",
      { check: wrongNumbers },
    );
    keys["allowed_numbers"] = split(numbers);
    return Object.fromEntries(
      Object.entries(keys).map(([key, value]) => [`channels_config.chatapp.${key}`, value]),
    );
  },
};

function split(text: string): string[] {
  return text.split(/[,\s]+/).filter((part) => part !== "");
}

function wrongNumbers(text: string): string | undefined {
  const parts = split(text);
  const wrong = parts.find((part) => !/^(?:\*|\+[0-9]{1,15})$/.test(part));
  if (wrong !== undefined) return `${wrong} is not a number such as +15551234567.`;
  return parts.length === 0 ? "Please name at least one number." : undefined;
}
