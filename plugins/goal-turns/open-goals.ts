import type { ChatCommandRun, CommandPrompt, CommandTurn, ToolResult, ToolRun, Values } from "@gantry/sdk";
import { Goals, type Verdict } from "./goal.ts";
import { beginGoal, goOn, judge, type WorkNeeds } from "./goal-work.ts";

/** All that works with goals, loaded once somebody does. */
export interface OpenGoals {
  begin(run: ChatCommandRun): Promise<string | CommandPrompt>;
  goOn(ended: CommandTurn): Promise<string | CommandPrompt | undefined>;
  judge(run: ToolRun<Verdict>): Promise<ToolResult>;
  forget(session: string): Promise<void>;
}

export function openGoals({
  values,
  ...given
}: Omit<WorkNeeds, "goals"> & { readonly values: Values }): OpenGoals {
  const goals = new Goals(values);
  const needs = { ...given, goals };
  return {
    begin: (run) => beginGoal(needs, run),
    goOn: (ended) => goOn(needs, ended),
    judge: (run) => judge(needs, run),
    forget: (session) => goals.forget(session),
  };
}
