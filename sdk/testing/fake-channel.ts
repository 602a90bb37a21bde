import {
  Channels,
  definePlugin,
  Inbox,
  type InboundMessage,
  type Plugin,
  type Receipt,
  type Sent,
} from "../index.ts";

export interface FakeChannel extends Plugin {
  readonly sent: readonly { readonly to: string; readonly text: string }[];
  /** A message from outside. */
  receive(message: Partial<InboundMessage> & { readonly text: string }): Promise<Receipt>;
  /** Resolves once so many replies were sent. */
  sentCount(count: number): Promise<void>;
  /** What the next sends come to; after that all are sent. */
  readonly outcomes: Sent[];
}

/** A channel without a platform. Everybody may write; `owners` may answer approval questions. */
export function fakeChannel(
  name: string = "fake",
  options: { readonly owners?: readonly string[] } = {},
): FakeChannel {
  const sent: { to: string; text: string }[] = [];
  const outcomes: Sent[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  let inbox: Inbox | undefined;
  let counter = 0;
  const plugin = definePlugin({
    name: `channel-${name}`,
    needs: { inbox: Inbox },
    provides: [Channels],
    setup(host) {
      ({ inbox } = host.needs);
      host.provide(Channels, {
        name,
        isOwner: (sender) => options.owners?.includes(sender) === true,
        async send(to, text) {
          const outcome = outcomes.shift() ?? { status: "sent" };
          if (outcome.status === "sent") sent.push({ to, text });
          for (const waiter of waiting.filter(({ count }) => sent.length >= count)) waiter.resolve();
          return outcome;
        },
      });
    },
  });
  return Object.freeze({
    ...plugin,
    sent,
    outcomes,
    async receive(message: Partial<InboundMessage> & { readonly text: string }): Promise<Receipt> {
      if (!inbox) throw new Error(`start a host with the channel ${name} first`);
      const filled = {
        channel: name,
        id: `message-${(counter += 1)}`,
        sender: "alice",
        timestamp: Math.floor(Date.now() / 1_000),
        ...message,
      };
      const [receipt] = await inbox.receive([filled]);
      return receipt as Receipt;
    },
    sentCount: (count: number) =>
      new Promise<void>((resolve) => {
        if (sent.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
  });
}
