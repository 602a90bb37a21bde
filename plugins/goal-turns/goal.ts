import type { Values } from "@gantry/sdk";

/** Goes with its conversation when a person is erased. */
const space = "session-goal";
/** Nobody asks for a goal so much later. */
const keptMs = 30 * 86_400_000;

/** How the model judges its work. */
export interface Verdict {
  readonly verdict: "holds" | "not_yet" | "cannot";
  readonly why: string;
}

/** A goal of a conversation, as the store keeps it. */
export interface Goal {
  /** Stands in the words of its turns: a goal that took its place has another. */
  readonly id: string;
  readonly text: string;
  /** The command that says whether it holds; without one the model judges. */
  readonly until?: string | undefined;
  /** Turns that have ended since it was begun or resumed. */
  readonly turns: number;
  /** Tokens in and out of these turns. */
  readonly tokens: number;
  /** When it was begun or resumed, Unix ms. */
  readonly began: number;
  /** What the model said last in the turn that runs. */
  readonly said?: Verdict | undefined;
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

  of(session: string): Promise<Goal | undefined> {
    return this.#values.get<Goal>(space, session);
  }

  async put(session: string, goal: Goal): Promise<void> {
    await this.#values.put(space, session, goal, { forMs: keptMs });
  }

  async forget(session: string): Promise<void> {
    await this.#values.remove(space, session);
  }
}
