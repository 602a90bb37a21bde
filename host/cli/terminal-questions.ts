import { toolQuestionText } from "@gantry/sdk";
import type { ApprovalRequest, Approvals, ToolQuestion, ToolQuestions, TurnEvent } from "@gantry/sdk";
import { printable, userOfTerminal } from "@gantry/sdk/node";
import { approvalText, bold } from "./approval-text.ts";
import { decisionOf, isAnswer, isCommand, isWordFor } from "./person-words.ts";

/** So many words that answer nothing are a no. */
const mostUnclear = 3;

export interface AskingDeps {
  readonly approvals: Approvals;
  /** Left out by who runs no tools. */
  readonly questions?: ToolQuestions | undefined;
  /** Returns what is typed; undefined at the end of input and when `signal` ends the waiting. */
  ask(prompt: string, signal: AbortSignal): Promise<string | undefined>;
  /** Does a command that is typed in place of an answer; undefined while none is taken. */
  command(): ((line: string) => Promise<void>) | undefined;
}

/**
 * The questions of a turn at the terminal, one at a time, each taken back where it is decided or
 * lapses elsewhere.
 */
export class TerminalQuestions {
  readonly #deps: AskingDeps;
  readonly #open: Map<string, AbortController> = new Map();
  #asking: Promise<void> = Promise.resolve();

  constructor(deps: AskingDeps) {
    this.#deps = deps;
  }

  /** Puts the questions that come up, and takes those back that are over. */
  tell(event: TurnEvent): void {
    if (event.type === "approval_request") this.#next(() => this.#ask(event.request));
    if (event.type === "tool_question") this.#next(() => this.#askWords(event.question));
    if (event.type === "approval_done" || event.type === "tool_question_done")
      this.#open.get(event.id)?.abort();
  }

  #next(ask: () => Promise<void>): void {
    this.#asking = this.#asking.then(ask);
  }

  /** Shows exactly what will run; words that answer nothing are asked about again, a few times. */
  async #ask(request: ApprovalRequest): Promise<void> {
    const { approvals, ask } = this.#deps;
    const { signal } = await this.#openApproval(request.id);
    process.stderr.write(`${bold(`May ${request.tool} run?`)}\n`);
    this.#show(request, false);
    let word = "";
    for (let unclear = 0; unclear < mostUnclear;) {
      word = (await ask(bold("Allow this once? [y/N] "), signal))?.trim() ?? "";
      if (signal.aborted || isAnswer(word)) break;
      if (isWordFor("view", word)) this.#show(request, true);
      // A command is not an answer: it is done, and the question stays, unless the command was the
      // answer.
      else if (isCommand(word)) await this.#deps.command()?.(word);
      else if ((unclear += 1) < mostUnclear) process.stderr.write("Answer y or n; Enter is a no.\n");
      if (isCommand(word) && !signal.aborted) this.#show(request, false);
    }
    const why = isWordFor("explain", word) ? (await ask(bold("Why not? "), signal))?.trim() : undefined;
    this.#open.delete(request.id);
    const by = { user: userOfTerminal() };
    await approvals.decide(request.id, decisionOf(word), by, why === "" ? undefined : why);
  }

  #show(request: ApprovalRequest, whole: boolean): void {
    process.stderr.write(approvalText(request, process.stderr.columns ?? 80, whole));
  }

  /** Asks for the words that a tool wants; an end of the input leaves it. */
  async #askWords(question: ToolQuestion): Promise<void> {
    const { questions, ask } = this.#deps;
    const by = { user: userOfTerminal() };
    const open = new AbortController();
    this.#open.set(question.id, open);
    const isOpen = questions?.pending(by).some(({ id }) => id === question.id) === true;
    if (!isOpen) open.abort();
    else process.stderr.write(`${printable(toolQuestionText(question))}\n`);
    while (!open.signal.aborted) {
      const line = await ask(bold("Your answer (or decline, cancel): "), open.signal);
      const command = this.#deps.command();
      if (command && line !== undefined && isCommand(line)) {
        await command(line);
        continue;
      }
      const word = line?.trim().toLowerCase();
      const action = line === undefined ? "cancel" : word;
      const said = action === "decline" || action === "cancel" ? ({ action } as const) : (line ?? "");
      const answered = await questions?.answer(question.id, said, by);
      if (answered?.outcome !== "wrong") break;
      process.stderr.write(`${printable(answered.reason)}\n`);
    }
    this.#open.delete(question.id);
  }

  async #openApproval(id: string): Promise<AbortController> {
    const open = new AbortController();
    this.#open.set(id, open);
    const pending = await this.#deps.approvals.pending();
    if (!pending.some((request) => request.id === id)) open.abort();
    return open;
  }
}
