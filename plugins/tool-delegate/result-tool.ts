import { defineTool, type Tool, type ToolRun } from "@gantry/sdk";
import { Type } from "typebox";
import { errors } from "./errors.ts";
import type { KeptTasks } from "./kept-tasks.ts";
import { taskText, type Task } from "./task.ts";

const graceMs = 5_000;

export function resultTool(tasks: KeptTasks, mostMs: number): Tool {
  return defineTool({
    name: "delegate_result",
    description: "Gives the results of tasks that were handed on in the background.",
    input: Type.Object(
      {
        id: Type.Optional(Type.Integer({ minimum: 1, description: "The number of one task; else all." })),
        wait: Type.Optional(Type.Boolean({ description: "Wait until they have ended." })),
      },
      { additionalProperties: false },
    ),
    parallel: true,
    timeoutMs: mostMs + graceMs,
    effects: () => ({}),
    async run(run) {
      let found = await wanted(tasks, run);
      if (run.args.wait === true) {
        const live = found.filter((task) => tasks.isLive(task));
        await Promise.all(live.map((task) => tasks.ended(run.session, task, run.signal)));
        found = await wanted(tasks, run);
      }
      for (const task of found) if (!tasks.isLive(task)) await tasks.told(run.session, task);
      if (found.length === 0) return "No task was handed on in the background.";
      return found.map((task) => taskText(task, tasks.isLive(task))).join("\n\n");
    },
  });
}

/** Returns the tasks that are asked for, of this agent alone. Throws DELEGATE_UNKNOWN. */
async function wanted(
  tasks: KeptTasks,
  { args: { id }, session, agent }: Pick<ToolRun<{ id?: number }>, "args" | "session" | "agent">,
): Promise<readonly Task[]> {
  const all = (await tasks.of(session)).filter(({ by, isBackground }) => isBackground && by === agent);
  if (id === undefined) return all;
  const found = all.filter((task) => task.id === id);
  if (found.length === 0) throw errors.DELEGATE_UNKNOWN(id);
  return found;
}
