import type { ChatCommandRun, Part } from "@gantry/sdk";
import { spentText, type Goal } from "./goal.ts";

const head = /^\[Goal ([0-9a-f]{6}), turn \d+ of \d+\.\]/;
/** A command in quotes, or all to the end of its line. */
const check = /(?:^|\s)--until(?:(?:=|\s+)(?:"([^"]*)"|'([^']*)'|(.*)))?\s*$/;
const word = /^\s*\/\S+\s*/;

/** A goal as its person wrote it. */
export interface WrittenGoal extends Pick<Goal, "text" | "until"> {
  /** All that came with it, which nobody has written here. */
  readonly besides: readonly Part[];
}

/** Reads a goal and the command that says whether it holds, both from its person's own words. */
export function readGoal({ args, parts }: Pick<ChatCommandRun, "args" | "parts">): WrittenGoal {
  if (!parts) return { ...readOwn([args]), besides: [] };
  const own = parts.flatMap((part) => (isOwn(part) ? [part.text] : []));
  return {
    ...readOwn([(own[0] ?? "").replace(word, ""), ...own.slice(1)]),
    besides: parts.filter((part) => !isOwn(part)),
  };
}

/** Reads the command from the last line alone; not from a quote, nor from between backticks. */
function readOwn(texts: readonly string[]): Pick<Goal, "text" | "until"> {
  const whole = texts.join("\n").trim();
  const last = (texts.at(-1) ?? "").trimEnd().split("\n").at(-1) ?? "";
  if (last.trimStart().startsWith(">")) return { text: whole };
  const plain = last.replace(/`[^`]*`/g, (span) => "_".repeat(span.length));
  const { index } = check.exec(plain) ?? {};
  if (index === undefined || plain.slice(0, index).includes("`")) return { text: whole };
  const [found, ...ways] = check.exec(last.slice(index)) ?? [""];
  const until = (ways.find((way) => way !== undefined) ?? "").trim();
  return { text: whole.slice(0, whole.length - found.trimEnd().length).trim(), until };
}

function isOwn(part: Part): part is Extract<Part, { readonly type: "text" }> {
  return part.type === "text" && part.from === undefined;
}

/** Returns what the person is told of the command before it runs. */
export function checkText(until: string): string {
  return `This command says whether the goal holds: \`${until}\``;
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
  const before = isFirst ? [] : [lastText(said, until)];
  return [
    `[Goal ${id}, turn ${turns + 1} of ${most}.]`,
    `${isFirst ? "Reach this goal" : "Go on with this goal"}: ${text}`,
    "",
    ...before,
    `Work on without asking whether you may. ${judged} If it cannot be reached, say so by goal_verdict.`,
  ].join("\n");
}

/** Says how the turn before ended, in none of the model's words: they are not the person's. */
function lastText(said: Goal["said"], until = ""): string {
  if (said === undefined) return "You ended without a verdict.";
  return `It does not hold yet${said === "unchecked" ? `: the check \`${until}\` did not end well` : ""}.`;
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
