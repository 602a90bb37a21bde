import { counted } from "@gantry/sdk";
import type { Goal } from "./goal.ts";

const head = /^\[Goal ([0-9a-f]{6}), turn \d+ of \d+\.\]/;
/** A command in quotes, or all to the end. */
const check = /(?:^|\s)--until(?:=|\s+)(?:"([^"]*)"|'([^']*)'|([^]*))/;

/** Splits what stands behind `/goal` into the goal and the command that says whether it holds. */
export function readGoal(args: string): Pick<Goal, "text" | "until"> {
  const [found = "", ...ways] = check.exec(args) ?? [];
  const until = ways.find((way) => way !== undefined)?.trim();
  return { text: args.replace(found, () => "").trim(), ...(until !== undefined && { until }) };
}

/** Returns the id of the goal that began a turn with these words. */
export function goalIn(words: string): string | undefined {
  return head.exec(words)?.[1];
}

/** Returns what the model is told when a turn of a goal begins. */
export function turnText({ id, text, until, turns, said }: Goal, most: number): string {
  const isFirst = turns === 0 && said === undefined;
  const judged =
    until === undefined
      ? "When you think that it holds, look whether it does and call goal_verdict."
      : `When you think that it holds, call goal_verdict: it runs the check \`${until}\`.`;
  const before = isFirst ? [] : [said ? `It does not hold yet: ${said.why}` : "You ended without a verdict."];
  return [
    `[Goal ${id}, turn ${turns + 1} of ${most}.]`,
    `${isFirst ? "Reach this goal" : "Go on with this goal"}: ${text}`,
    "",
    ...before,
    `Work on without asking whether you may. ${judged} If it cannot be reached, say so by goal_verdict.`,
  ].join("\n");
}

/** Returns how a goal stands, for its person. */
export function standText(goal: Goal | undefined, isRunning: boolean): string {
  if (!goal)
    return "There is no goal here. /goal TEXT works until it holds; --until COMMAND lets a command judge.";
  const { text, until, end } = goal;
  const judge = until === undefined ? "" : `\nIt holds when this ends well: ${until}`;
  const spent = spentText(goal);
  const state = end ?? (isRunning ? "It is being worked on." : "It was left. /goal resume goes on.");
  return `${text}${judge}\n${state}${spent === "" || end !== undefined ? "" : ` So far: ${spent}.`}`;
}

/** Returns what a goal has taken so far; empty before its first turn has ended. */
export function spentText({ turns, tokens }: Goal): string {
  return turns === 0 ? "" : `${counted(turns, "turn")}, ${counted(tokens, "token")}`;
}
