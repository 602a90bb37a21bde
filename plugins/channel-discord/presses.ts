import type { Logger } from "@gantry/sdk";
import { deadButton, type ChatFrame } from "@gantry/sdk/channel";
import { conversationOf, type DiscordMessage, type ReplyAddress } from "./read-message.ts";
import type { Rest } from "./rest.ts";
import { isId } from "./snowflake.ts";
import type { WireInteraction } from "./wire.ts";

/** The platform tells the presser of a failure after three seconds: https://docs.discord.com/developers/interactions/receiving-and-responding */
const answerMs = 2_500;
/** An interaction that presses a button, and an answer that leaves the message as it is. */
const pressed = 3;
const taken = 6;
/** A flag of a message that only the presser sees. */
const forPresser = 1 << 6;

export interface PressNeeds {
  readonly rest: Rest;
  readonly frame: ChatFrame<ReplyAddress, DiscordMessage>;
  readonly log: Logger;
}

/**
 * Takes a press of a button at once, before any work, then tells the presser what came of it. Never
 * throws.
 */
export async function takePress(
  interaction: WireInteraction,
  { rest, log, frame }: PressNeeds,
  signal: AbortSignal,
): Promise<void> {
  const { id, token, application_id, type } = interaction;
  if (type !== pressed) return;
  try {
    const path = `/interactions/${id}/${token}/callback`;
    await rest.call("POST", path, { body: { type: taken }, signal, timeoutMs: answerMs });
    const content = await decide(interaction, frame);
    const body = { content, flags: forPresser, allowed_mentions: { parse: [] } };
    await rest.call("POST", `/webhooks/${application_id}/${token}`, { body, signal });
  } catch (error) {
    log.warn({}, `A press of a button was not answered: ${(error as Error).message}`);
  }
}

/** Returns the notice for the presser. */
async function decide(
  { member, user = member?.user, channel_id: channel, guild_id, message, data }: WireInteraction,
  frame: PressNeeds["frame"],
): Promise<string> {
  if (!isId(channel) || !isId(user?.id) || message === undefined) return deadButton;
  const conversation = conversationOf(channel, guild_id);
  const press = { data: data?.custom_id ?? "", sender: { id: user.id }, conversation };
  return (await frame.press(press, { address: { channel }, id: message.id })).notice;
}
