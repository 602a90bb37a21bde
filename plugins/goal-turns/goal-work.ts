import { randomBytes } from "node:crypto";
import {
  directMessage,
  textOf,
  textParts,
  type ChatCommandRun,
  type CommandPrompt,
  type CommandTurn,
  type Inbox,
  type ToolCatalog,
  type ToolResult,
  type ToolRun,
  type Turns,
} from "@gantry/sdk";
import { errors } from "./errors.ts";
import { Goals, type Goal, type Verdict } from "./goal.ts";
import { goalIn, readGoal, spentText, standText, turnText } from "./words.ts";

const minuteMs = 60_000;
/** The bound of one turn, which another turn goes beyond. */
const tooLong = "TURN_TOO_LONG";

/** What a goal may take. */
export interface Bounds {
  readonly turns: number;
  readonly tokens: number;
  readonly minutes: number;
}

export interface WorkNeeds {
  readonly goals: Goals;
  readonly catalog: ToolCatalog;
  readonly inbox: Inbox;
  readonly turns: Turns;
  readonly bounds: Bounds;
}

/** Begins a goal, goes on with one, or says how it stands. */
export async function beginGoal(needs: WorkNeeds, run: ChatCommandRun): Promise<string | CommandPrompt> {
  const { goals } = needs;
  const { args, conversation } = run;
  const { session } = conversation;
  const goal = await goals.of(session);
  const isRunning = isBusy(needs, run);
  if (args === "") return standText(goal, isRunning);
  if (isRunning) return "Something is being worked on here: /stop ends it.";
  if (args === "resume") return resume(needs, session, goal);
  const { text, until } = readGoal(args);
  if (text === "" || until === "") return "Say what is to hold: /goal the tests pass --until npm test";
  if (until !== undefined && (await commandTool(needs)) === undefined)
    return "No tool that runs commands is loaded here, so --until has nothing to run: leave it out.";
  return begin(needs, session, { text, ...(until !== undefined && { until }) });
}

async function resume(needs: WorkNeeds, session: string, goal?: Goal): Promise<string | CommandPrompt> {
  if (!goal || goal.holds) return standText(goal, false);
  const { text, until, said } = goal;
  return begin(needs, session, { text, until, said });
}

async function begin(
  { goals, bounds }: WorkNeeds,
  session: string,
  of: Pick<Goal, "text" | "until" | "said">,
): Promise<CommandPrompt> {
  const goal: Goal = { ...of, id: randomBytes(3).toString("hex"), turns: 0, tokens: 0, began: Date.now() };
  await goals.put(session, goal);
  return { prompt: textParts(turnText(goal, bounds.turns)) };
}

/** Says what comes after a turn of a goal: another turn, or why there is none. */
export async function goOn(
  { goals, bounds }: WorkNeeds,
  { session, prompt, result }: CommandTurn,
): Promise<string | CommandPrompt | undefined> {
  const goal = await goals.of(session);
  if (!goal || goal.id !== goalIn(textOf(prompt)) || goal.end !== undefined) return undefined;
  const { usage, error } = result;
  const turns = goal.turns + 1;
  const tokens = goal.tokens + usage.input_tokens + usage.output_tokens;
  const spent = { ...goal, turns, tokens };
  const failure = error?.code === tooLong ? undefined : error?.message;
  const end = endOf(spent, failure, bounds);
  if (end === undefined) {
    const { said: _, ...next } = spent;
    await goals.put(session, next);
    return { prompt: textParts(turnText(spent, bounds.turns)) };
  }
  const holds = goal.said?.verdict === "holds";
  await goals.put(session, { ...spent, end, ...(holds && { holds }) });
  return end;
}

/** Returns why a goal is not worked on any more; undefined if it is. */
function endOf(goal: Goal, failure: string | undefined, most: Bounds): string | undefined {
  const { said, until, turns, tokens, began } = goal;
  const spent = spentText(goal);
  if (said?.verdict === "holds")
    return `The goal holds (${spent})${until === undefined ? "." : `: \`${until}\` ended well.`}`;
  if (said?.verdict === "cannot") return `The goal cannot be reached (${spent}).`;
  const left = (why: string): string => `The goal does not hold yet (${spent}). ${why} /goal resume goes on.`;
  if (failure !== undefined) return left(`The turn failed: ${failure}`);
  if (turns >= most.turns) return left(`It took ${turns} turns, as many as goal.turns allows.`);
  if (tokens >= most.tokens) return left(`It took as many tokens as goal.tokens allows.`);
  if (Date.now() - began >= most.minutes * minuteMs)
    return left(`It took ${most.minutes} minutes, as many as goal.minutes allows.`);
  return undefined;
}

/** Takes the verdict of the model; where a command judges, that is run as a call of this turn. Throws GOAL_NONE. */
export async function judge(needs: WorkNeeds, run: ToolRun<Verdict>): Promise<ToolResult> {
  const { goals } = needs;
  const { args, session } = run;
  const goal = await goals.of(session);
  if (!goal || goal.end !== undefined) throw errors.GOAL_NONE();
  const { text, ...said } = await checked(needs, run, goal);
  await goals.put(session, { ...goal, said });
  return { text, failed: said.verdict === "not_yet" && args.verdict === "holds" };
}

async function checked(
  needs: WorkNeeds,
  { args, user, session, signal }: ToolRun<Verdict>,
  { until, text: goal }: Goal,
): Promise<Verdict & { readonly text: string }> {
  if (args.verdict === "cannot") return { ...args, text: "Now tell the person why." };
  if (args.verdict === "not_yet") return { ...args, text: `Go on. The goal: ${goal}` };
  if (until === undefined) return { ...args, text: "It is noted that the goal holds. Now say so." };
  const tool = (await commandTool(needs)) ?? "";
  const [channel = "", ...id] = user.split(":");
  const message = directMessage({ channel, id: session, from: id.join(":"), text: "" });
  const call = { tool, args: { command: until }, approvals: "ask", signal } as const;
  const outcome = await needs.inbox.call?.(message, call);
  if (outcome && outcome.code === undefined && !outcome.workFailed)
    return { ...args, text: `The check ended well, so the goal holds. Now say so.\n${outcome.text}` };
  const why = `The check \`${until}\` did not end well`;
  return { verdict: "not_yet", why: `${why}.`, text: `${why}:\n${outcome?.text ?? ""}` };
}

/** Returns the name of the tool by which this turn runs commands. */
async function commandTool({ catalog }: WorkNeeds): Promise<string | undefined> {
  return (await catalog.list()).find(({ atTerminal }) => atTerminal === "command")?.name;
}

function isBusy({ turns }: WorkNeeds, { user, trust, conversation: { session } }: ChatCommandRun): boolean {
  return turns.running({ user, trust, conversation: session }).some((turn) => turn.session === session);
}
