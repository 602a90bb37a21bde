import {
  Channels,
  definePlugin,
  directMessage,
  Inbox,
  textOf,
  type InboundMessage,
  type Part,
  type Plugin,
  type Receipt,
  Standings,
  type Sent,
} from "../index.ts";

export interface FakeChannel extends Plugin {
  readonly sent: readonly { readonly to: string; readonly text: string }[];
  /** The parts of each of them, with all that a channel is told of its text. */
  readonly parts: readonly (readonly Part[])[];
  /** A message from outside. */
  receive(message: FakeMessage): Promise<Receipt>;
  /** Resolves once so many replies were sent. */
  sentCount(count: number): Promise<void>;
  /** The outcomes of the next sends; after that all are sent. */
  readonly outcomes: Sent[];
}

/**
 * A message, from `alice` if nobody else is named; an owner's trust follows from the channel's
 * `owners`.
 */
export type FakeMessage = Partial<InboundMessage> & { readonly text: string; readonly from?: string };

/**
 * A channel without a platform. Everybody may write; `owners` may answer approval questions; read
 * at each use.
 */
export function fakeChannel(
  name: string = "fake",
  options: { readonly owners?: readonly string[]; readonly needsQuestionId?: true } = {},
): FakeChannel {
  const sent: { to: string; text: string }[] = [];
  const sentParts: (readonly Part[])[] = [];
  const outcomes: Sent[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  let inbox: Inbox | undefined;
  let counter = 0;
  const trustOf = (id: string) => (options.owners?.includes(id) ? "owner" : "member");
  const plugin = definePlugin({
    name: `channel-${name}`,
    needs: { inbox: Inbox },
    provides: [Channels, Standings],
    setup(host) {
      ({ inbox } = host.needs);
      host.provide(Standings, { name, trust: options.owners ? trustOf : () => "owner" });
      host.provide(Channels, {
        name,
        ...(options.needsQuestionId && { needsQuestionId: true }),
        async send({ to, parts }) {
          const outcome = outcomes.shift() ?? { status: "sent" };
          if (outcome.status === "sent") {
            sent.push({ to: String(to), text: textOf(parts) });
            sentParts.push(parts);
          }
          for (const waiter of waiting.filter(({ count }) => sent.length >= count)) waiter.resolve();
          return outcome;
        },
      });
    },
  });
  return Object.freeze({
    ...plugin,
    sent,
    parts: sentParts,
    outcomes,
    async receive({ from = "alice", ...message }: FakeMessage): Promise<Receipt> {
      if (!inbox) throw new Error(`start a host with the channel ${name} first`);
      const id = `message-${(counter += 1)}`;
      const trust = trustOf(from);
      const [receipt] = await inbox.receive([directMessage({ channel: name, id, from, trust, ...message })]);
      return receipt as Receipt;
    },
    sentCount: (count: number) =>
      new Promise<void>((resolve) => {
        if (sent.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
  });
}
