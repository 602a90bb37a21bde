import { defineTool, type Tool } from "@gantry/sdk";
import { Type } from "typebox";
import type { OpenGoals } from "./open-goals.ts";

/** A check is a command with a time limit of its own, and may wait for its person. */
const longestMs = 86_400_000;

/** Makes the tool by which a turn of a goal is judged; no other turn has it. */
export function verdictTool(open: () => Promise<OpenGoals>, command: string): Tool {
  return defineTool({
    name: "goal_verdict",
    description: "Judges the goal that you work on. Say that it holds only if you have seen that it does.",
    input: Type.Object(
      {
        verdict: Type.Union([Type.Literal("holds"), Type.Literal("not_yet"), Type.Literal("cannot")]),
        why: Type.String({ minLength: 1, maxLength: 1_000, description: "What shows it, in a sentence." }),
      },
      { additionalProperties: false },
    ),
    timeoutMs: longestMs,
    offered: (by) => by === command,
    effects: () => ({}),
    run: async (run) => (await open()).judge(run),
  });
}
