import type { TurnEvent } from "@gantry/sdk";
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Asking, OpenQuestion } from "./questions.ts";

/** The progress of a call, for a client that asked to be told. */
export interface Step {
  readonly done: number;
  readonly total?: number;
  readonly text?: string;
}
export type Tell = (step: Step) => void;

/** Runs to its result and calls `onEvent` on the way. */
export type Work = (signal: AbortSignal, onEvent: (event: TurnEvent) => void) => Promise<CallToolResult>;

export type Next =
  | { readonly type: "question"; readonly question: OpenQuestion }
  | { readonly type: "done"; readonly result: CallToolResult };

/** A call that runs, which may take several requests of its client: one more for each question. */
export class OpenCall {
  readonly #ending = new AbortController();
  readonly #asking: Asking;
  readonly #counts: boolean;
  readonly #questions: OpenQuestion[] = [];
  #result: CallToolResult | undefined;
  #changed = Promise.withResolvers<void>();
  #tell: Tell | undefined;
  #steps = 0;

  /** `counts`: its steps are those of a turn, so they are counted; else they are the tool's own. */
  constructor(work: Work, asking: Asking, counts: boolean, signal: AbortSignal) {
    this.#asking = asking;
    this.#counts = counts;
    const ends = AbortSignal.any([signal, this.#ending.signal]);
    void work(ends, (event) => this.#heard(event)).then((result) => {
      this.#result = result;
      this.#wake();
    });
  }

  /** Waits for a question or the result; `signal` stops the call. */
  async next(signal: AbortSignal, tell: Tell | undefined): Promise<Next> {
    this.#tell = tell;
    const stop = (): void => this.stop();
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      for (;;) {
        if (this.#result) return { type: "done", result: this.#result };
        const [question] = this.#questions;
        if (question) return { type: "question", question };
        await this.#changed.promise;
      }
    } finally {
      signal.removeEventListener("abort", stop);
      this.#tell = undefined;
    }
  }

  /** Hands a client's answer on, if its question is still open. */
  async answer(id: string, response: unknown): Promise<void> {
    const question = this.#questions.find((one) => one.id === id);
    if (question && (await question.answer(response))) this.#over(id);
  }

  stop(): void {
    this.#ending.abort();
  }

  #heard(event: TurnEvent): void {
    if (event.type === "approval_request") {
      const { tool, expires } = event.request;
      if (!this.#ask(this.#asking.approval(event.request)))
        this.#count(`${tool} waits until ${expires} for somebody to allow it elsewhere`);
    } else if (event.type === "tool_question") this.#ask(this.#asking.words(event.question));
    else if (event.type === "approval_done" || event.type === "tool_question_done") this.#over(event.id);
    else if (event.type === "tool_call" && this.#counts) this.#count(event.tool);
    else if (event.type === "tool_progress") this.#progress(event);
  }

  #progress({ tool, text, ...step }: Step & { readonly tool: string }): void {
    if (this.#counts) this.#count(text === undefined ? tool : `${tool}: ${text}`);
    else this.#tell?.({ ...step, ...(text !== undefined && { text }) });
  }

  #count(text: string): void {
    if (this.#counts) this.#steps += 1;
    this.#tell?.({ done: this.#steps, text });
  }

  #ask(question: OpenQuestion | undefined): boolean {
    if (!question) return false;
    this.#questions.push(question);
    this.#wake();
    return true;
  }

  #over(id: string): void {
    const at = this.#questions.findIndex((one) => one.id === id);
    if (at >= 0) this.#questions.splice(at, 1);
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}
