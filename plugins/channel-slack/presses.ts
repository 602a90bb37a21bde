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

/** Presses of buttons. */
export class Presses {
  readonly #needs: PressNeeds;

  constructor(needs: PressNeeds) {
    this.#needs = needs;
  }

  /**
   * Takes a press, which was acknowledged before; who pressed is told if it decided nothing, as
   * else the question itself says it. Never throws.
   */
  async take({ type, user, channel, message, actions }: WirePress, signal: AbortSignal): Promise<void> {
    const { api, frame, replyInThread, log } = this.#needs;
    const { ts, thread_ts } = message ?? {};
    if (type !== "block_actions" || typeof user?.id !== "string") return;
    if (!isChannel(channel?.id) || !isTs(ts)) return;
    const place = { channel: channel.id, ts, ...(thread_ts !== undefined && { thread_ts }) };
    try {
      const conversation = conversationOf(place, replyInThread && thread_ts !== undefined);
      const press = { data: actions?.[0]?.value ?? "", sender: { id: user.id }, conversation };
      const question = { address: { channel: place.channel }, id: ts };
      const { decided, notice } = await frame.press(press, question);
      if (decided) return;
      const thread = thread_ts === undefined ? {} : { thread_ts };
      const body = { channel: place.channel, user: user.id, text: notice, ...thread };
      await api.call("chat.postEphemeral", body, { signal });
    } catch (error) {
      log.warn({}, `Who pressed a button was told nothing: ${(error as Error).message}`);
    }
  }
}
