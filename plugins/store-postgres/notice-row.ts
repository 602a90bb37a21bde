import { laneOf, type Notice } from "@gantry/sdk/fill";
import { stored } from "./text.ts";

/**
 * No channel's name begins so: a notice waits behind other notices of its conversation and nothing
 * else.
 */
const noticeLane = ">";

export function noticeRow({ message, reply }: Notice): object {
  return {
    channel: stored(message.channel),
    id: stored(message.id),
    lane: `${noticeLane}${stored(laneOf(message))}`,
    message: JSON.stringify(message),
    reply: stored(reply),
  };
}
