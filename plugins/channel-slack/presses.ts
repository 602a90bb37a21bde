import type { Logger } from "@gantry/sdk";
import type { ChatFrame } from "@gantry/sdk/channel";
import { isChannel, isTs, type SlackAddress } from "./address.ts";
import { conversationOf, type SlackMessage } from "./read-message.ts";
import type { WebApi } from "./web-api.ts";
import type { WirePress } from "./wire.ts";

export interface PressNeeds {
  readonly api: WebApi;
  readonly frame: ChatFrame<SlackAddress, SlackMessage>;
  readonly replyInThread: boolean;
  readonly log: Logger;
}

/**
 * Takes a press of a button, which was acknowledged before; who pressed is told if it decided
 * nothing, as else the question itself says it. Never throws.
 */
export async function takePress(
  { type, user, channel, message, actions }: WirePress,
  { api, frame, replyInThread, log }: PressNeeds,
  signal: AbortSignal,
): Promise<void> {
  const { ts, thread_ts } = message ?? {};
  if (type !== "block_actions" || typeof user?.id !== "string") return;
  if (!isChannel(channel?.id) || !isTs(ts)) return;
  const thread = thread_ts === undefined ? {} : { thread_ts };
  const place = { channel: channel.id, ts, ...thread };
  try {
    const conversation = conversationOf(place, replyInThread && thread_ts !== undefined);
    const press = { data: actions?.[0]?.value ?? "", sender: { id: user.id }, conversation };
    const { decided, notice } = await frame.press(press, { address: { channel: channel.id }, id: ts });
    if (decided) return;
    const body = { channel: channel.id, user: user.id, text: notice, ...thread };
    await api.call("chat.postEphemeral", body, { signal });
  } catch (error) {
    log.warn({}, `A press of a button was not answered: ${(error as Error).message}`);
  }
}
