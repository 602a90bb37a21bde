import {
  ChatCommands,
  definePlugin,
  History,
  Observers,
  Outbox,
  PromptParts,
  textParts,
  type HistoryRequest,
} from "@gantry/sdk";
import { Type } from "typebox";

/**
 * More than so many messages of the past are cut to the newest ones, in one step: every cut costs
 * the provider's cache.
 */
const MOST = 40;
const KEPT = 20;

/** Cuts before something that a person said, so that no call loses its result. */
function shorter({ earlier, current }: HistoryRequest) {
  if (earlier.length <= MOST) return undefined;
  const from = earlier.findIndex(({ role }, at) => role === "user" && at >= earlier.length - KEPT);
  return { earlier: from < 0 ? [] : earlier.slice(from), current };
}

export default definePlugin({
  name: "turn-shop",
  summary: "A shop's desk: hours in the prompt, /answers counts, /announce writes to the shop's channel.",
  config: Type.Object({
    hours: Type.String({ default: "9 to 17 h on weekdays", description: "When the shop is open." }),
    channel: Type.String({ default: "telegram", description: "The channel that /announce writes to." }),
    conversation: Type.String({ default: "", description: "The conversation there, by its id." }),
  }),
  needs: { outbox: Outbox },
  provides: [ChatCommands, History, Observers, PromptParts],
  setup(host) {
    const { hours, channel, conversation } = host.config;
    let answered = 0;

    host.provide(PromptParts, {
      name: "shop-hours",
      budget: 200,
      text: () => `The shop is open from ${hours}.`,
      note: ({ last }) => (last === undefined ? "This person writes for the first time." : undefined),
    });
    host.provide(History, { fit: shorter });
    host.provide(Observers, { name: "shop", modelAnswered: () => void (answered += 1) });
    host.provide(ChatCommands, {
      name: "answers",
      summary: "how many answers were given since the start",
      run: () => `${answered} so far.`,
    });
    host.provide(ChatCommands, {
      name: "announce",
      summary: "writes to the shop's channel",
      args: "<text>",
      trust: "owner",
      async run({ args }) {
        if (args === "" || conversation === "") return "Say what to announce, and set `conversation`.";
        const to = { id: conversation, kind: "group" } as const;
        const sent = await host.needs.outbox.send({
          channel,
          conversation: to,
          to: conversation,
          parts: textParts(args),
          key: args,
        });
        return sent === "accepted" ? "It goes out now." : "That was announced already.";
      },
    });
  },
});
