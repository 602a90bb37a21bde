import type { ChannelPlatformSubject, Writing } from "./platform.ts";
import { lastText, rigOf } from "./rig.ts";
import type { FakeScript } from "../fake-provider.ts";

type Cases = Readonly<Record<string, () => Promise<void>>>;

/** Returns the cases of who is answered, and where. */
export function peopleCases(subject: ChannelPlatformSubject): Cases {
  const { owner, member, stranger, bot, self } = subject.people;
  const { on, must } = rigOf(subject);
  const inThread = (thread: string): Omit<Writing, "text"> => ({
    from: owner,
    place: "group",
    mention: true,
    thread,
  });
  const always: Cases = {
    "CC-04: a stranger gets no answer; there is one record of it": async () => {
      await on(async ({ platform, told, host }) => {
        await platform.write({ from: stranger, text: "let me in" });
        await platform.write({ from: member, text: "hello" });
        const texts = (await told(1)).map(({ text }) => text);
        const ignored = host.audit.filter(({ event_type }) => event_type === "inbound_ignored");
        must(
          texts.join() === "hello" && ignored.length === 1,
          `answered ${JSON.stringify(texts)}`,
          "refuse strangers in onInboundMessage",
        );
      });
    },
    "CC-07: each person is answered in the chat they asked in, and nobody else reads it": async () => {
      await on(async ({ platform, told }) => {
        await Promise.all([
          platform.write({ from: owner, text: "of the owner" }),
          platform.write({ from: member, text: "of the member" }),
        ]);
        const asked = new Map([
          ["of the owner", owner],
          ["of the member", member],
        ]);
        for (const one of await told(2))
          must(
            one.place === "direct" && (one.to === undefined || one.to === asked.get(one.text)),
            `told ${JSON.stringify(one)}`,
            "send to the address that came with the message",
          );
      });
    },
    "CC-08: one conversation does not wait for another, and its own messages wait for each other":
      async () => {
        const { promise: later, resolve: go } = Promise.withResolvers<void>();
        const script: FakeScript = [
          (request) => {
            const text = lastText(request);
            return text.includes("slow") ? { text, after: later } : text;
          },
        ];
        await on(
          async ({ platform, told }) => {
            const one: Omit<Writing, "text"> = subject.threads === true ? inThread("1") : { from: owner };
            const other: Omit<Writing, "text"> = subject.threads === true ? inThread("2") : { from: member };
            await platform.write({ ...one, text: "slow" });
            await platform.write({ ...one, text: "next" });
            await platform.write({ ...other, text: "quick" });
            const [first] = await told(1);
            must(
              first?.text.includes("quick") === true && first.thread === other.thread,
              `told ${JSON.stringify(first)} first`,
              "name the conversation, and its thread where there is one",
            );
            go();
            const texts = (await told(3)).map(({ text }) => text);
            must(
              texts[1]?.includes("slow") === true && texts[2]?.includes("next") === true,
              `answered in the order ${JSON.stringify(texts)}`,
              "give the messages of one conversation the same conversation id",
            );
          },
          { script },
        );
      },
  };
  const inGroups: Cases = {
    "CC-06: CC-07: in a group the agent answers when it is named, there and to nothing else": async () => {
      await on(async ({ platform, told }) => {
        await platform.write({ from: owner, text: "not for it", place: "group" });
        await platform.write({ from: owner, text: "for it", place: "group", mention: true });
        const [first, ...rest] = await told(1);
        const right = first?.place === "group" && first.text.includes("for it") && rest.length === 0;
        must(
          right && !first.text.includes("not for it"),
          `told ${JSON.stringify(first)}`,
          "ask isForAgent()",
        );
      });
    },
  };
  const inThreads: Cases = {
    "CC-07: what is asked in a thread is answered in that thread": async () => {
      await on(async ({ platform, told }) => {
        await platform.write({ ...inThread("1"), text: "in one" });
        await platform.write({ ...inThread("2"), text: "in two" });
        for (const one of await told(2)) {
          const thread = one.text.includes("in one") ? "1" : "2";
          must(
            one.place === "group" && one.thread === thread,
            `told ${JSON.stringify(one)}`,
            "keep the thread in replyTo",
          );
        }
      });
    },
  };
  const amongBots: Cases = {
    "CC-05: what the agent itself and other bots write is never answered": async () => {
      await on(async ({ platform, told }) => {
        const places = subject.groups === true ? (["direct", "group"] as const) : (["direct"] as const);
        for (const from of [bot, self].filter((one) => one !== undefined)) {
          for (const place of places)
            await platform.write({ from, text: "from a bot", place, mention: place === "group" });
        }
        await platform.write({ from: member, text: "from a person" });
        const texts = (await told(1)).map(({ text }) => text);
        must(
          texts.join() === "from a person",
          `answered ${JSON.stringify(texts)}`,
          "leave out what bots write, also where everybody is let in",
        );
      });
    },
  };
  return {
    ...always,
    ...(bot !== undefined || self !== undefined ? amongBots : {}),
    ...(subject.groups === true ? inGroups : {}),
    ...(subject.threads === true ? inThreads : {}),
  };
}
