import { defineErrors, failed, policy, usage } from "@gantry/sdk";

const portal = "discord.com/developers/applications";

export const errors = defineErrors({
  DISCORD_BAD_TOKEN: usage(
    `channels.discord.bot_token is no bot token, which is three words joined by dots (%s): copy it from the page Bot of your application at ${portal}.`,
  ),
  DISCORD_API_401: failed(
    `API error: 401 (%s): the bot token is wrong or was reset; take a new one from the page Bot at ${portal} and set channels.discord.bot_token.`,
  ),
  DISCORD_API_403: failed(
    "API error: 403 (%s): let the bot see the channel, write in it and read its history; in a direct chat the person must share a server with it and allow messages.",
  ),
  DISCORD_RATE: failed("API error: 429 (%s): the platform asks to wait %s s."),
  DISCORD_API: failed("API error: %s (%s): see what the platform says, and its status."),
  DISCORD_UNREADABLE: failed(
    "Discord sent an answer that cannot be read (HTTP %s): check endpoints.discord_url.",
  ),
  DISCORD_REFUSALS: failed(
    "Discord refused %s calls within 10 minutes, so none is made for %s s, as it shuts out who goes on: mend what the log names.",
  ),
  DISCORD_INTENT: failed(
    `Discord closed the connection (4014): the bot may not read what is written in servers. Switch on Message Content Intent under Bot at ${portal}, or set channels.discord.groups to "off".`,
  ),
  DISCORD_NO_WORDS: failed(
    `Messages in servers come without their words: switch on Message Content Intent under Bot at ${portal}.`,
  ),
  DISCORD_TOKEN_CLOSED: failed(
    `Discord closed the connection (4004): the bot token is wrong or was reset; take a new one from the page Bot at ${portal} and set channels.discord.bot_token.`,
  ),
  DISCORD_SHARDS: failed(
    "Discord closed the connection (%s): the bot is in more servers than one connection may serve; give Gantry a bot of its own.",
  ),
  DISCORD_VERSION: failed(
    "Discord closed the connection (%s): it no longer takes what this version asks for; update Gantry.",
  ),
  DISCORD_NO_STARTS: failed(
    "The bot has used up the %s connections of a day: another program may connect with its token again and again; end it, or wait %s s.",
  ),
  DISCORD_TWO_PROGRAMS: failed(
    "Another program writes with this bot token, so people may be answered twice: end it, or give each program a bot of its own.",
  ),
  DISCORD_GUILD: policy(
    "The server %s is not in channels.discord.guild_ids, so nobody is answered there: add it if it should be.",
  ),
});
