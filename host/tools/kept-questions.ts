import { listAll, type ApprovalRequest, type Values } from "@gantry/sdk";
import type { QuestionEnd } from "@gantry/sdk/fill";
import { leftMs, type Asked, type Delivered, type Ended, type Question } from "./asked-question.ts";

/** The values that keep facts about questions: each is written once and never changed. */
export type Facts = Pick<Values, "add" | "get" | "take" | "list">;

const space = "approvals";
/** The time for which the end of a question can still be told after it. */
const toldMs = 3_600_000;
/** A question that is decided in its last moment is kept until the decision is used. */
const graceMs = 10_000;

/**
 * Questions as facts under the question's id: asked, delivered, ended. A fact is added once and
 * never changed, so only one writer ends a question, and a late write undoes nothing.
 */
export class KeptQuestions {
  readonly #facts: () => Facts;

  constructor(facts: () => Facts) {
    this.#facts = facts;
  }

  async keep(asked: Asked): Promise<void> {
    await this.#facts().add(space, asked.request.id, asked, { forMs: leftMs(asked.request) + graceMs });
  }

  async delivered(request: ApprovalRequest, delivered: Delivered): Promise<void> {
    const life = { forMs: leftMs(request) + graceMs };
    await this.#facts().add(space, `${request.id}/delivered`, delivered, life);
  }

  /** Ends a question; false if it has ended before. */
  end({ request, digest }: Asked, end: QuestionEnd): Promise<boolean> {
    const { id, session, user, device, person, trust } = request;
    const whose = {
      session,
      user,
      ...(device !== undefined && { device }),
      ...(person !== undefined && { person }),
      ...(trust !== undefined && { trust }),
    };
    const ended: Ended = { ...end, ...whose, digest };
    return this.#facts().add(space, `${id}/ended`, ended, { forMs: leftMs(request) + toldMs });
  }

  endOf(id: string): Promise<Ended | undefined> {
    return this.#facts().get<Ended>(space, `${id}/ended`);
  }

  /** Uses a question up; true for one caller, who acts on the decision. */
  async use(id: string): Promise<boolean> {
    return (await this.#facts().take(space, id)) !== undefined;
  }

  /** Returns the questions whose ids begin so, the oldest first. */
  async read(beginning: string = ""): Promise<readonly Question[]> {
    const known = new Map<string, Record<string, unknown>>();
    for (const { key, value } of await listAll(this.#facts(), space, beginning)) {
      const [id = "", fact = "asked"] = key.split("/");
      known.set(id, { ...known.get(id), id, [fact]: value });
    }
    const questions = [...known.values()] as unknown as Question[];
    return questions.toSorted((a, b) => (a.asked?.at ?? 0) - (b.asked?.at ?? 0));
  }
}
