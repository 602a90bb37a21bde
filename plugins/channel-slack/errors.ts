import { defineErrors, failed, usage } from "@gantry/sdk";

export const errors = defineErrors({
  SLACK_BAD_BOT_TOKEN: usage(
    "channels.slack.bot_token is %s and no bot token: copy the Bot User OAuth Token, which begins with xoxb-, from OAuth & Permissions of the app.",
  ),
  SLACK_BAD_APP_TOKEN: usage(
    "channels.slack.app_token is %s and no app-level token: make one with the scope connections:write under Basic Information of the app; it begins with xapp-.",
  ),
  SLACK_TOKENS_SWAPPED: usage(
    "channels.slack.bot_token and app_token are swapped: the bot's begins with xoxb-, the app's with xapp-.",
  ),
  SLACK_API_401: failed(
    "API error: 401 (%s): the token in channels.slack.%s is wrong, expired or was revoked; install the app again and copy its new token.",
  ),
  SLACK_ACCOUNT: failed(
    "API error: 403 (%s): Slack refuses the app in this workspace; ask an administrator of it to allow or install the app.",
  ),
  SLACK_TOKEN_KIND: failed(
    "API error: 401 (%s): the token in channels.slack.%s is of another kind than Slack wants there; the bot's begins with xoxb-, the app's with xapp-.",
  ),
  SLACK_SCOPE: failed(
    "API error: 403 (missing_scope): the token in channels.slack.%s lacks the scope %s; add it to the app, install the app again, and set its new token.",
  ),
  SLACK_SOCKET_MODE_OFF: failed(
    "API error: 403 (%s): Socket Mode is switched off for this app, so nothing comes in; switch it on under Socket Mode of the app.",
  ),
  SLACK_TOO_MANY: failed(
    "Slack holds ten connections of this app already: end other programs that run with this app token, or wait until it has dropped those of ended ones.",
  ),
  SLACK_RATE: failed("API error: 429 (%s of %s): the platform asks to wait %s s."),
  SLACK_NOT_THERE: failed(
    "API error: 403 (%s): the app is no member of the channel %s; invite it there with /invite.",
  ),
  SLACK_GONE: failed("API error: 404 (%s): nothing can be written to %s any more."),
  SLACK_API: failed("API error: %s (%s of %s): see what the platform says, and its status."),
  SLACK_UNREADABLE: failed("Slack sent an answer that cannot be read (HTTP %s): check slack_url."),
  SLACK_SILENT: failed("Slack's connection said no hello within %s s, so it is made anew."),
  SLACK_ELSEWHERE: failed(
    "Slack named %s for what is loaded there, which is not where slack_url is, so nothing is sent to it.",
  ),
  SLACK_FILE: failed(
    "It could not be loaded (HTTP %s): the app may lack the scope files:read; add it and install the app again.",
  ),
  SLACK_TWO_PROGRAMS: failed(
    "Slack counts %s connections of this app where this service has %s: end the other program that runs with this app token, or give each an app of its own, as each gets only some of the messages. A program that was killed counts for some minutes more.",
  ),
});
