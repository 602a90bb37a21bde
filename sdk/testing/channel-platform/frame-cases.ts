import { Commands } from "../../index.ts";
import { Pairing } from "../../node/pairing.ts";
import { createMemoryStore } from "../memory-store.ts";
import type { ChannelPlatformSubject } from "./platform.ts";
import { rigOf } from "./rig.ts";

type Cases = Readonly<Record<string, () => Promise<void>>>;

/** Returns the cases of the keys that every channel of the frame has. */
export function frameCases(subject: ChannelPlatformSubject): Cases {
  if (subject.framed !== true) return {};
  const { owner, stranger } = subject.people;
  const { on, must } = rigOf(subject);
  const pairing: Cases = {
    "CHN-05: pairing_enabled: a code lets a stranger in as a member, until shut out": async () => {
      const store = createMemoryStore();
      await on(
        async ({ platform, told, host }) => {
          const { code } = await new Pairing(store).create();
          const say = (text: string) => platform.write({ from: stranger, text });
          await say("123456789012");
          const wrong = (await told(1))[0]?.text ?? "";
          must(wrong.includes("not valid"), `told ${wrong}`, "ask Admission");
          await say(code);
          await told(2);
          await say("am I in?");
          const answer = (await told(3))[2]?.text ?? "";
          must(answer === "am I in?", `answered ${answer}`, "ask LetIn.trust()");
          const unpair = host.slot(Commands).get(`${subject.channel} unpair`);
          await unpair?.run(commandRun(stranger));
          await say("and now?");
          await platform.write({ from: owner, text: "still here" });
          const last = (await told(4))[3]?.text ?? "";
          must(last === "still here", `answered ${last}`, "ask LetIn.trust()");
        },
        { store, table: { pairing_enabled: true } },
      );
    },
  };
  const groups: Cases = {
    "CC-06: groups = off: keeps the agent out of groups, and never out of direct chats": async () => {
      await on(
        async ({ platform, told }) => {
          await platform.write({ from: owner, text: "in a group", place: "group", mention: true });
          await platform.write({ from: owner, text: "direct" });
          const [first] = await told(1);
          must(first?.text === "direct", `answered ${JSON.stringify(first)}`, "ask isForAgent()");
        },
        { table: { groups: "off" } },
      );
    },
  };
  return { ...pairing, ...(subject.groups === true ? groups : {}) };
}

function commandRun(...args: readonly string[]) {
  const { signal } = new AbortController();
  return { args, options: {}, out: unread, err: unread, interactive: false, signal, serve: async () => 0 };
}

function unread(): void {}
