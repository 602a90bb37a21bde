import { defineErrors, failed, usage } from "@gantry/sdk";

export const errors = defineErrors({
  TELEGRAM_BAD_TOKEN: usage(
    "channels.telegram.bot_token is no bot token, which is a number, a colon and 35 signs: copy it whole from @BotFather.",
  ),
  TELEGRAM_API_401: failed(
    "API error: %s (%s): the bot token is wrong or was revoked; ask @BotFather for a new one and set channels.telegram.bot_token.",
  ),
  TELEGRAM_API_403: failed(
    "API error: 403 (%s): the person has blocked the bot, or the bot is no member of the group any more; add it again.",
  ),
  TELEGRAM_TWO_PROGRAMS: failed(
    "API error: 409 (%s): another program polls with this bot token; end it, or give each program a bot of its own.",
  ),
  TELEGRAM_WEBHOOK: failed(
    "API error: 409 (%s): a webhook is set for this bot, at %s; end the program that set it and call deleteWebhook, then what waits comes in here.",
  ),
  TELEGRAM_RATE: failed("API error: 429 (%s): the platform asks to wait %s s."),
  TELEGRAM_API: failed("API error: %s (%s): see what the platform says, and its status."),
  TELEGRAM_UNREADABLE: failed(
    "The Bot API sent an answer that cannot be read (HTTP %s): check telegram_url.",
  ),
});
