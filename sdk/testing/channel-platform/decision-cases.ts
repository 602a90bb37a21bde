import { askingTool, type AskingTool } from "../asking-tool.ts";
import type { ChannelPlatformSubject } from "./platform.ts";
import { rigOf, type Rig, type RigOptions } from "./rig.ts";

type Cases = Readonly<Record<string, () => Promise<void>>>;

/** Returns the cases of a platform with buttons: who decides, where, and once. */
export function decisionCases(subject: ChannelPlatformSubject): Cases {
  if (subject.buttons !== true) return {};
  const { owner, member, stranger } = subject.people;
  const { on, must } = rigOf(subject);
  const asking = async (
    work: (rig: Rig, tool: AskingTool) => Promise<void>,
    options: RigOptions = {},
  ): Promise<void> => {
    const tool = askingTool();
    const script = [{ calls: [{ name: tool.toolName, args: {} }] }, "done"];
    await on((rig) => work(rig, tool), { script, plugins: [tool.plugin], ...options });
  };
  const mustNotRun = (tool: AskingTool, who: string): void =>
    must(tool.runs() === 0, `let ${who} decide`, "decide by pressApproval()");

  return {
    "CC-14: only the owner's press decides, once; everybody else is told": () =>
      asking(async ({ platform, told }, tool) => {
        await platform.write({ from: owner, text: "go" });
        const yes = (await told(1))[0]?.buttons?.[0] ?? "";
        for (const from of [stranger, member]) {
          const said = await platform.press?.(yes, from);
          must(said?.includes("Only an owner") === true, `told ${from} ${said}`, "tell the presser");
          mustNotRun(tool, from);
        }
        await platform.press?.(yes, owner);
        await told(2);
        must(tool.runs() === 1, "did not hand the owner's press on", "decide by pressApproval()");
        await platform.press?.(yes, owner);
        must(tool.runs() === 1, "counted a press twice", "decide by pressApproval()");
      }),
    "CC-14: a press after the question has expired runs nothing, and the presser is told": () =>
      asking(
        async ({ platform, told }, tool) => {
          await platform.write({ from: owner, text: "go" });
          await told(2);
          const said = (await platform.press?.("Allow", owner)) ?? "";
          const isTold = /decided already|no longer open|expired/i.test(said);
          must(isTold, `told the presser ${JSON.stringify(said)}`, "hand on what the host answers");
          mustNotRun(tool, "a late press");
        },
        { timeouts: { approval: 50 } },
      ),
    "CC-15: a question that cannot be sent is a no at once, and the turn goes on": () =>
      asking(async ({ platform, told }, tool) => {
        platform.failNext({ how: "form" });
        await platform.write({ from: owner, text: "go" });
        const [answer] = await told(1);
        must(answer?.text === "done", `told ${JSON.stringify(answer)}`, "answer `refused` to ask()");
        mustNotRun(tool, "nobody");
      }),
  };
}
