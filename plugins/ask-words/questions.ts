import { randomBytes } from "node:crypto";
import type { AnswerOutcome, Decider, SaidInChat, WordsAsked } from "@gantry/sdk/fill";
import type { Said, ToolAnswer, ToolQuestion, ToolQuestions } from "@gantry/sdk";
import { asError } from "@gantry/sdk/node";
import { answerInChat } from "./answer-in-chat.ts";
import { errors } from "./errors.ts";

interface Open {
  readonly question: ToolQuestion;
  readonly isInChannel: boolean;
  /** Unix ms. */
  readonly asked: number;
  readonly settle: (answer: ToolAnswer) => void;
}

/** So many ids are remembered, so that what comes late or twice is known for what it is. */
const maxKnown = 1_000;
/** The most questions of one person that wait at a time. */
const mostOpen = 16;

/**
 * The open requests of tools to people, in this process: the call that waits for an answer ends
 * with the process.
 */
export class OpenQuestions implements ToolQuestions {
  readonly #open = new Map<string, Open>();
  readonly #settled = new Set<string>();
  readonly #read = new Set<string>();

  pending(by: Decider): readonly ToolQuestion[] {
    return this.#answerable(by).map(({ question }) => question);
  }

  async answer(id: string, said: Said, by: Decider): Promise<AnswerOutcome> {
    const open = this.#open.get(id);
    if (!open) return { outcome: this.#settled.has(id) ? "decided" : "unknown" };
    if (!mayAnswer(open, by)) return { outcome: "forbidden" };
    const { action } = said as { action?: unknown };
    if (typeof said === "object" && (action === "decline" || action === "cancel")) open.settle({ action });
    else {
      const { readWords } = await import("./words-given.ts");
      try {
        open.settle({ action: "accept", content: readWords(open.question.form, said) });
      } catch (error) {
        return { outcome: "wrong", reason: asError(error).message };
      }
    }
    return { outcome: "done" };
  }

  async ask(
    asked: WordsAsked,
    show: (question: ToolQuestion) => void,
    signal: AbortSignal,
  ): Promise<{ readonly id: string; readonly answer: ToolAnswer }> {
    const { shownQuestion, wrongQuestion } = await import("./words-given.ts");
    const wrong = wrongQuestion(asked);
    if (wrong !== undefined) throw errors.TOOL_BAD_QUESTION(asked.tool, wrong);
    const theirs = [...this.#open.values()].filter(({ question: { user } }) => user === asked.user);
    if (theirs.length >= mostOpen) throw errors.TOOL_MANY_QUESTIONS(asked.tool, mostOpen, asked.user);
    const id = randomBytes(8).toString("hex");
    const question = shownQuestion(asked, id);
    return { id, answer: await this.#answerTo(question, asked, show, signal) };
  }

  /** A message that is delivered again is the same answer, and no talk. */
  async take(said: SaidInChat): Promise<{ readonly reply?: string } | undefined> {
    if (this.#read.has(said.message)) return {};
    if (this.#open.size === 0) return undefined;
    const answerable = (by: Decider): readonly Open[] => this.#answerable(by);
    const taken = await answerInChat({ answerable, answer: this.answer.bind(this) }, said);
    if (taken) remember(this.#read, said.message);
    return taken;
  }

  /** Waits for one answer. What cannot be shown is cancelled. */
  #answerTo(
    question: ToolQuestion,
    { waitMs, isInChannel }: WordsAsked,
    show: (question: ToolQuestion) => void,
    signal: AbortSignal,
  ): Promise<ToolAnswer> {
    const { id } = question;
    const { promise, resolve } = Promise.withResolvers<ToolAnswer>();
    const settle = (answer: ToolAnswer): void => {
      if (!this.#open.delete(id)) return;
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
      remember(this.#settled, id);
      resolve(answer);
    };
    const cancel = (): void => settle({ action: "cancel" });
    const timer = setTimeout(cancel, waitMs);
    signal.addEventListener("abort", cancel);
    this.#open.set(id, { question, isInChannel, asked: Date.now(), settle });
    if (signal.aborted) cancel();
    else {
      try {
        show(question);
      } catch {
        cancel();
      }
    }
    return promise;
  }

  #answerable(by: Decider): readonly Open[] {
    if (this.#open.size === 0) return [];
    return [...this.#open.values()].filter((open) => mayAnswer(open, by));
  }
}

/** True for the person who was asked, and in a channel only in the conversation that was asked. */
function mayAnswer({ question: { user, session }, isInChannel }: Open, by: Decider): boolean {
  return by.user === user && (by.conversation === session || !isInChannel);
}

function remember(known: Set<string>, id: string): void {
  known.add(id);
  if (known.size > maxKnown) known.delete(known.values().next().value as string);
}
