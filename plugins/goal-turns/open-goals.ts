import type { ChatCommandRun, CommandPrompt, CommandTurn, ToolResult, ToolRun, Values } from "@gantry/sdk";
import { Goals, type Verdict } from "./goal.ts";
import { beginGoal, begins, goOn, judge, stopGoal, type WorkNeeds } from "./goal-work.ts";

/** All that works with goals, loaded once somebody does. */
export interface OpenGoals {
  begin(run: ChatCommandRun): Promise<string | CommandPrompt>;
  begins(turn: Omit<CommandTurn, "result">): Promise<boolean>;
  goOn(ended: CommandTurn): Promise<string | CommandPrompt | undefined>;
  stop(session: string): Promise<string | undefined>;
  judge(run: ToolRun<Verdict>): Promise<ToolResult>;
  forget(session: string): Promise<void>;
}

export function openGoals({
  values,
  ...given
}: Omit<WorkNeeds, "goals" | "running"> & { readonly values: Values }): OpenGoals {
  const goals = new Goals(values);
  const running = new Map<string, string>();
  const needs = { ...given, goals, running };
  return {
    begin: (run) => beginGoal(needs, run),
    begins: (turn) => begins(needs, turn),
    goOn: (ended) => goOn(needs, ended),
    stop: (session) => stopGoal(needs, session),
    judge: (run) => judge(needs, run),
    forget: async (session) => {
      running.delete(session);
      await goals.forget(session);
    },
  };
}
