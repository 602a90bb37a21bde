import { randomBytes } from "node:crypto";
import type { ChatappAnswers } from "./answers.ts";
import type { Ask } from "./ask.ts";

/** The keys of the chat-app channel; undefined where none is wanted. */
export async function askChannel(ask: Ask): Promise<ChatappAnswers | undefined> {
  if (!(await ask.yes("Shall people write to the agent in a chat app?", false))) return undefined;
  const access_token = await ask.secret("Access token of the platform's business account");
  const phone_number_id = await ask.text("Phone number id (not the number itself)");
  const verify_token = await ask.text("Verify token, to be entered at the platform too", {
    initial: randomBytes(16).toString("hex"),
  });
  const signed = await ask.yes(
    "Do you have the app secret, so that webhooks are checked by their signature?",
    true,
  );
  const app_secret = signed ? await ask.secret("App secret") : undefined;
  const numbers = await ask.text(
    "Who may write? Numbers as +<country code><number>, with commas, or * for everyone",
    {
      check: wrongNumbers,
    },
  );
  return { access_token, phone_number_id, verify_token, app_secret, allowed_numbers: split(numbers) };
}

function split(text: string): string[] {
  return text.split(/[,\s]+/).filter((part) => part !== "");
}

function wrongNumbers(text: string): string | undefined {
  const parts = split(text);
  const wrong = parts.find((part) => !/^(?:\*|\+[0-9]{1,15})$/.test(part));
  if (wrong !== undefined) return `${wrong} is not a number such as +15551234567.`;
  return parts.length === 0 ? "Please name at least one number." : undefined;
}
