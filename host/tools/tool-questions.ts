import { randomBytes } from "node:crypto";
import {
  Channels,
  type Said,
  type ToolAnswer,
  type ToolQuestion,
  type ToolQuestions as ToolQuestionsSlot,
} from "@gantry/sdk";
import type { AnswerOutcome, Decider } from "@gantry/sdk/fill";
import { asError } from "@gantry/sdk/node";
import type { Registry } from "../plugins/registry.ts";

type Asked = Omit<ToolQuestion, "id" | "expires">;

interface Open {
  readonly question: ToolQuestion;
  readonly settle: (answer: ToolAnswer) => void;
}

/** So many ids are remembered, so that what comes late or twice is known for what it is. */
const maxKnown = 1_000;

/** What tools have asked people for, in this process: the call that waits for an answer ends with the process. */
export class ToolQuestions implements ToolQuestionsSlot {
  readonly #open = new Map<string, Open>();
  readonly #settled = new Set<string>();
  readonly #read = new Set<string>();
  readonly #registry: Registry;
  readonly waitMs: number;

  constructor(registry: Registry, waitMs: number) {
    this.#registry = registry;
    this.waitMs = waitMs;
  }

  pending(by: Decider): readonly ToolQuestion[] {
    if (this.#open.size === 0) return [];
    const all = [...this.#open.values()].map(({ question }) => question);
    return all.filter((question) => this.#mayAnswer(question, by));
  }

  async answer(id: string, said: Said, by: Decider): Promise<AnswerOutcome> {
    const open = this.#open.get(id);
    if (!open) return { outcome: this.#settled.has(id) ? "decided" : "unknown" };
    if (!this.#mayAnswer(open.question, by)) return { outcome: "forbidden" };
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

  /** True for a message that was an answer: delivered again, it is no talk. */
  hasRead(message: string): boolean {
    return this.#read.has(message);
  }

  /** Remembers that a message was an answer. */
  reads(message: string): void {
    remember(this.#read, message);
  }

  /** Ends a question that nobody will ever see. */
  undelivered(id: string): void {
    this.#open.get(id)?.settle({ action: "cancel" });
  }

  /** Waits for one answer; `announce` shows the question to its person. What cannot be shown is cancelled. */
  ask(asked: Asked, announce: (question: ToolQuestion) => void, signal: AbortSignal) {
    const id = randomBytes(8).toString("hex");
    const expires = new Date(Date.now() + this.waitMs).toISOString();
    const question: ToolQuestion = Object.freeze({ ...asked, id, expires });
    const { promise, resolve } = Promise.withResolvers<ToolAnswer>();
    const settle = (answer: ToolAnswer): void => {
      if (!this.#open.delete(id)) return;
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
      remember(this.#settled, id);
      resolve(answer);
    };
    const cancel = (): void => settle({ action: "cancel" });
    const timer = setTimeout(cancel, this.waitMs);
    signal.addEventListener("abort", cancel);
    this.#open.set(id, { question, settle });
    if (signal.aborted) cancel();
    else {
      try {
        announce(question);
      } catch {
        cancel();
      }
    }
    return promise.then((answer) => ({ id, answer }));
  }

  /** The person who was asked, and in a channel in the conversation that was asked. */
  #mayAnswer({ user, session }: ToolQuestion, by: Decider): boolean {
    const door = user.split(":", 1)[0] as string;
    const isThere = by.conversation === session || this.#registry.get(Channels)?.has(door) !== true;
    return by.user === user && isThere;
  }
}

function remember(known: Set<string>, id: string): void {
  known.add(id);
  if (known.size > maxKnown) known.delete(known.values().next().value as string);
}
