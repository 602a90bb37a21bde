import type { ChannelPlatformSubject } from "./platform.ts";
import { lastText, rigOf } from "./rig.ts";
import { askingTool } from "./asking-tool.ts";
import type { FakeScript } from "../fake-provider.ts";

type Cases = Readonly<Record<string, () => Promise<void>>>;

/** Who is answered, where, and who decides. */
export function peopleCases(subject: ChannelPlatformSubject): Cases {
  const { owner, member, stranger } = subject.people;
  const { on, must } = rigOf(subject);
  const always: Cases = {
    "C4: a stranger gets no answer; there is one record of it": async () => {
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
  };
  const inGroups: Cases = {
    "C6: C7: in a group the agent answers when it is named, there and to nothing else": async () => {
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
    "C8: two threads do not wait for each other": async () => {
      const { promise: later, resolve: go } = Promise.withResolvers<void>();
      const script: FakeScript = [
        (request) => (lastText(request).includes("slow") ? { text: "slow", after: later } : "quick"),
      ];
      await on(
        async ({ platform, told }) => {
          await platform.write({ from: owner, text: "slow", place: "group", mention: true, thread: "1" });
          await platform.write({ from: owner, text: "quick", place: "group", mention: true, thread: "2" });
          const [first] = await told(1);
          must(
            first?.text === "quick" && first.thread === "2",
            `told ${JSON.stringify(first)} first`,
            "name the thread in the conversation",
          );
          go();
          await told(2);
        },
        { script },
      );
    },
  };
  const withButtons: Cases = {
    "C14: only the owner's press decides, once; everybody else is told": async () => {
      const tool = askingTool();
      await on(
        async ({ platform, told }) => {
          await platform.write({ from: owner, text: "go" });
          const [question] = await told(1);
          const yes = question?.buttons?.[0] ?? "";
          const said = await platform.press?.(yes, stranger);
          must(
            said !== undefined && said !== "" && tool.runs() === 0,
            "let a stranger decide",
            "decide by pressApproval()",
          );
          await platform.press?.(yes, owner);
          await told(2);
          must(tool.runs() === 1, "did not hand the owner's press on", "decide by pressApproval()");
          await platform.press?.(yes, owner);
          must(tool.runs() === 1, "counted a press twice", "decide by pressApproval()");
        },
        { script: [{ calls: [{ name: tool.toolName, args: {} }] }, "done"], plugins: [tool.plugin] },
      );
    },
  };
  return {
    ...always,
    ...(subject.groups === true ? inGroups : {}),
    ...(subject.threads === true ? inThreads : {}),
    ...(subject.buttons === true ? withButtons : {}),
  };
}
