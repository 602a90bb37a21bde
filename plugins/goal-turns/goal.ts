import { counted, type Values } from "@gantry/sdk";

/** Goes with its conversation when a person is erased. */
const space = "session-goal";
/** The id of the goal that was stopped: a turn that ends meanwhile writes the goal alone. */
const stopSpace = "session-goal-stopped";
/** Nobody asks for a goal so much later. */
const keptMs = 30 * 86_400_000;

/** The model's judgement of its work. */
export interface Verdict {
  readonly verdict: "holds" | "not_yet" | "cannot";
  readonly why: string;
}

/** A goal of a conversation, as the store keeps it. */
export interface Goal {
  /** Stands in the words of its turns: a goal that took its place has another. */
  readonly id: string;
  /** The person that it belongs to, as `<channel>:<user_id>`: its command runs for nobody else. */
  readonly user: string;
  readonly text: string;
  /** The command that says whether it holds; without one the model judges. */
  readonly until?: string | undefined;
  /** Turns that have ended since it was begun or resumed. */
  readonly turns: number;
  /** Tokens in and out of these turns. */
  readonly tokens: number;
  /** When it was begun or resumed, Unix ms. */
  readonly began: number;
  /** The last verdict of the turn that runs, or `unchecked` if the command refused it. */
  readonly said?: Verdict["verdict"] | "unchecked" | undefined;
  /** Why it is not worked on any more, as people are told. */
  readonly end?: string;
  readonly holds?: true;
}

/** The goals of conversations, one each. */
export class Goals {
  readonly #values: Values;

  constructor(values: Values) {
    this.#values = values;
  }

  async of(session: string): Promise<Goal | undefined> {
    const goal = await this.#values.get<Goal>(space, session);
    if (!goal || goal.end !== undefined) return goal;
    const stopped = await this.#values.get<string>(stopSpace, session);
    return stopped === goal.id ? { ...goal, end: stoppedText(goal) } : goal;
  }

  async stop(session: string, { id }: Goal): Promise<void> {
    await this.#values.put(stopSpace, session, id, { forMs: keptMs });
  }

  async put(session: string, goal: Goal): Promise<void> {
    await this.#values.put(space, session, goal, { forMs: keptMs });
  }

  async forget(session: string): Promise<void> {
    await this.#values.remove(space, session);
    await this.#values.remove(stopSpace, session);
  }
}

/** Returns how a goal ended that a person stopped. */
function stoppedText(goal: Goal): string {
  const spent = spentText(goal);
  return `The goal was stopped${spent === "" ? "" : ` (${spent})`}. /goal resume goes on.`;
}

/** Returns what a goal has taken so far; empty before its first turn has ended. */
export function spentText({ turns, tokens }: Goal): string {
  return turns === 0 ? "" : `${counted(turns, "turn")}, ${counted(tokens, "token")}`;
}
