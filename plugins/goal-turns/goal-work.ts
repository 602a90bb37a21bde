import { randomBytes } from "node:crypto";
import {
  directMessage,
  textOf,
  textParts,
  type ChatCommandRun,
  type CommandPrompt,
  type CommandTurn,
  type Inbox,
  type People,
  type ToolCatalog,
  type ToolResult,
  type ToolRun,
} from "@gantry/sdk";
import { rightsNow, type Doors } from "../shared/rights-now.ts";
import { errors } from "./errors.ts";
import { spentText, type Goal, type Goals, type Verdict } from "./goal.ts";
import { checkText, goalIn, readGoal, standText, turnText, type WrittenGoal } from "./words.ts";

const minuteMs = 60_000;
/** The bound of one turn, which another turn goes beyond. */
const tooLong = "TURN_TOO_LONG";

/** The most that a goal may take. */
export interface Bounds {
  readonly turns: number;
  readonly tokens: number;
  readonly minutes: number;
}

export interface WorkNeeds {
  readonly goals: Goals;
  readonly catalog: ToolCatalog;
  readonly doors: Doors;
  readonly inbox: Inbox;
  readonly people: People;
  readonly bounds: Bounds;
  /** The goals of the turns that run in this process, by their sessions. */
  readonly running: Map<string, string>;
}

const theirs = "The goal here is another person's: /goal TEXT sets one of yours.";
const theirsOpen = "A goal of another person is worked on here: /stop ends it.";

/** Begins a goal, goes on with one, or says how it stands. */
export async function beginGoal(needs: WorkNeeds, run: ChatCommandRun): Promise<string | CommandPrompt> {
  const { user, conversation } = run;
  const { session } = conversation;
  const goal = await needs.goals.of(session);
  const isRunning = conversation.isRunning?.() === true;
  const written = readGoal(run);
  const { text, until, besides } = written;
  if (text === "" && until === undefined && besides.length === 0) return standText(goal, isRunning);
  if (goal && goal.user !== user && goal.end === undefined) return theirsOpen;
  if (isRunning) return "Something is being worked on here: /stop ends it.";
  if (text === "resume" && until === undefined) return resume(needs, run, goal);
  if (text === "" || until === "") return "Say what is to hold: /goal the tests pass --until npm test";
  // A name of a file that an editor puts in stands between backticks.
  if (until?.includes("`")) return "Write the command behind --until without backticks: $( ) does the same.";
  if (until !== undefined && (await commandTool(needs)) === undefined)
    return "No tool that runs commands is loaded here, so --until has nothing to run: leave it out.";
  return begin(needs, run, written);
}

async function resume(needs: WorkNeeds, run: ChatCommandRun, goal?: Goal): Promise<string | CommandPrompt> {
  if (!goal || goal.holds) return standText(goal, false);
  if (goal.user !== run.user) return theirs;
  const { text, until, said } = goal;
  return begin(needs, run, { text, until, said, besides: [] });
}

async function begin(
  { goals, bounds }: WorkNeeds,
  { user, conversation }: ChatCommandRun,
  { besides, ...of }: WrittenGoal & Pick<Goal, "said">,
): Promise<CommandPrompt> {
  const id = randomBytes(3).toString("hex");
  const goal: Goal = { ...of, id, user, turns: 0, tokens: 0, began: Date.now() };
  await goals.put(conversation.session, goal);
  const prompt = [...textParts(turnText(goal, bounds.turns)), ...besides];
  return { prompt, ...(of.until !== undefined && { told: checkText(of.until) }) };
}

/**
 * Ends the goal that is worked on in a conversation, whoever's it is; returns what that is told by.
 */
export async function stopGoal({ goals }: WorkNeeds, session: string): Promise<string | undefined> {
  const goal = await goals.of(session);
  if (!goal || goal.end !== undefined) return undefined;
  await goals.stop(session, goal);
  return (await goals.of(session))?.end;
}

/**
 * True if the goal of a turn that is about to run is still worked on, and its person has the rights
 * with which it was begun; its verdicts count from then on.
 */
export async function begins(
  { doors, goals, running, people }: WorkNeeds,
  { session, prompt, user, trust }: Omit<CommandTurn, "result">,
): Promise<boolean> {
  const goal = await goals.of(session);
  if (!goal || goal.id !== goalIn(textOf(prompt)) || goal.end !== undefined) return false;
  const rights = await rightsNow(doors, user, trust, people);
  if ("lost" in rights) {
    await goals.put(session, { ...goal, end: `The goal was stopped: ${rights.lost}` });
    return false;
  }
  running.set(session, goal.id);
  return true;
}

/** Says what comes after a turn of a goal: another turn, or why there is none. */
export async function goOn(
  { goals, bounds, running }: WorkNeeds,
  { session, prompt, result }: CommandTurn,
): Promise<string | CommandPrompt | undefined> {
  running.delete(session);
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
  const holds = goal.said === "holds";
  await goals.put(session, { ...spent, end, ...(holds && { holds }) });
  return end;
}

/** Returns why a goal is not worked on any more; undefined if it is. */
function endOf(goal: Goal, failure: string | undefined, most: Bounds): string | undefined {
  const { said, until, turns, tokens, began } = goal;
  const spent = spentText(goal);
  if (said === "holds")
    return `The goal holds (${spent})${until === undefined ? "." : `: \`${until}\` ended well.`}`;
  if (said === "cannot") return `The goal cannot be reached (${spent}).`;
  const left = (why: string): string => `The goal does not hold yet (${spent}). ${why} /goal resume goes on.`;
  if (failure !== undefined) return left(`The turn failed: ${failure}`);
  if (turns >= most.turns) return left(`It took ${turns} turns, as many as goal.turns allows.`);
  if (tokens >= most.tokens) return left(`It took as many tokens as goal.tokens allows.`);
  if (Date.now() - began >= most.minutes * minuteMs)
    return left(`It took ${most.minutes} minutes, as many as goal.minutes allows.`);
  return undefined;
}

/**
 * Takes the verdict of the model; where a command judges, that is run as a call of this turn.
 * Throws GOAL_NONE, also in a turn of another goal or person than the one that is worked on.
 */
export async function judge(needs: WorkNeeds, run: ToolRun<Verdict>): Promise<ToolResult> {
  const { goals, running } = needs;
  const { session, user } = run;
  const goal = await goals.of(session);
  const isOwn = goal?.user === user && goal.id === running.get(session);
  if (!isOwn || goal.end !== undefined) throw errors.GOAL_NONE();
  const { text, said } = await checked(needs, run, goal);
  await goals.put(session, { ...goal, said });
  return { text, failed: said === "unchecked" };
}

async function checked(
  needs: WorkNeeds,
  { args, user, session, signal }: ToolRun<Verdict>,
  { until, text: goal }: Goal,
): Promise<Required<Pick<Goal, "said">> & { readonly text: string }> {
  const said = args.verdict;
  if (said === "cannot") return { said, text: "Now tell the person why." };
  if (said === "not_yet") return { said, text: `Go on. The goal: ${goal}` };
  if (until === undefined) return { said, text: "It is noted that the goal holds. Now say so." };
  const tool = (await commandTool(needs)) ?? "";
  const [channel = "", ...id] = user.split(":");
  const message = directMessage({ channel, id: session, from: id.join(":"), text: "" });
  const call = { tool, args: { command: until }, approvals: "ask", signal } as const;
  const outcome = await needs.inbox.call?.(message, call);
  if (outcome && outcome.code === undefined && !outcome.workFailed)
    return { said, text: `The check ended well, so the goal holds. Now say so.\n${outcome.text}` };
  const text = `The check \`${until}\` did not end well:\n${outcome?.text ?? ""}`;
  return { said: "unchecked", text };
}

/** Returns the name of the tool by which this turn runs commands. */
async function commandTool({ catalog }: WorkNeeds): Promise<string | undefined> {
  return (await catalog.list()).find(({ atTerminal }) => atTerminal === "command")?.name;
}
