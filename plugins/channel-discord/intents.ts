import type { Groups } from "@gantry/sdk/channel";
import type { WireApplication } from "./wire.ts";

/**
 * The events that a bot asks for:
 * https://docs.discord.com/developers/events/gateway#list-of-intents
 */
const intents = { guildMessages: 1 << 9, directMessages: 1 << 12, messageContent: 1 << 15 } as const;
/** Flags of an application that may be given words, in few and in many servers: https://docs.discord.com/developers/resources/application#application-object-application-flags */
const contentFlags = (1 << 18) | (1 << 19);

/** Without groups no more than direct messages, for which nothing has to be switched on. */
export function intentsOf(groups: Groups): number {
  if (groups === "off") return intents.directMessages;
  return intents.directMessages | intents.guildMessages | intents.messageContent;
}

/** True if the owner has switched on that the bot may read what is written in servers. */
export function mayReadWords({ flags = 0 }: WireApplication): boolean {
  return (flags & contentFlags) !== 0;
}
