import { Channels } from "../../index.ts";
import { channelContract } from "../channel-contract.ts";
import type { ChannelPlatformSubject } from "./platform.ts";
import { rigOf } from "./rig.ts";

/** Returns the case that the channel is one: all that {@link channelContract} says of every channel. */
export function kindCases(subject: ChannelPlatformSubject): Readonly<Record<string, () => Promise<void>>> {
  const { on, must } = rigOf(subject);
  return {
    "CHN-05: the channel keeps the contract of its kind": async () => {
      await on(
        async ({ host }) => {
          const channel = host.slot(Channels).get(subject.channel);
          if (!channel) return must(false, "is not there", "fill the slot Channels with it");
          for (const { name, run } of channelContract({ channel, to: subject.to }))
            await run().catch((error: Error) => must(false, `fails ${name}`, error.message));
        },
        { serves: false },
      );
    },
  };
}
