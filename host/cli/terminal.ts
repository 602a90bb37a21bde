import { styleText } from "node:util";
import { describeMedia, toolQuestionText } from "@gantry/sdk";
import type {
  ApprovalRequest,
  Approvals,
  MediaRef,
  PromptOptions,
  ToolQuestion,
  ToolQuestions,
  TurnEvent,
} from "@gantry/sdk";
import type { AnswerText } from "./markdown/answer-text.ts";
import { callLine, stepText } from "./call-line.ts";
import { decisionOf, isCommand, isWordFor } from "./person-words.ts";
import { printableProse } from "./terminal-line.ts";
import { approvalText, bold } from "./approval-text.ts";
import type { KeyboardEvents, LineReader } from "./line-reader.ts";
import { Spinner } from "./spinner.ts";
import { userOfTerminal, printable } from "@gantry/sdk/node";

interface TerminalDeps {
  readonly approvals: Approvals;
  /** Left out by who runs no tools. */
  readonly questions?: ToolQuestions | undefined;
  readonly configDir: string;
}

/** The person at the terminal: streamed text, a spinner while the model thinks, approvals asked in place. */
export class Terminal {
  readonly #approvals: Approvals;
  readonly #words: ToolQuestions | undefined;
  readonly #person: boolean;
  readonly #spinner: Spinner = new Spinner(process.stderr);
  readonly #streams: boolean;
  readonly #configDir: string;
  #reader: LineReader | undefined;
  #awaitsLine = false;
  #command: ((line: string) => Promise<void>) | undefined;
  /** The call that runs or is asked about, as it is shown. */
  #tool = "";
  #streamed = "";
  #interrupt: (() => void) | undefined;
  readonly #typedAhead: string[] = [];
  /** What Esc gives back for the next line. */
  #givenBack: readonly string[] = [];
  #answer: AnswerText | undefined;
  #complete: KeyboardEvents["complete"] = async (line) => [[], line];
  /** One question at a time, each taken back where it is decided or lapses elsewhere. */
  #asking: Promise<void> = Promise.resolve();
  readonly #questions: Map<string, AbortController> = new Map();

  /** `person` is false where nobody can see or answer anything; `streams` where stdout takes the answer as it comes. */
  constructor(
    { approvals, questions, configDir }: TerminalDeps,
    person: boolean,
    streams: boolean = process.stdout.isTTY,
  ) {
    this.#approvals = approvals;
    this.#words = questions;
    this.#configDir = configDir;
    this.#person = person;
    this.#streams = streams;
  }

  options(options: PromptOptions): PromptOptions {
    return { ...options, onEvent: (event) => this.#show(event) };
  }

  /** Has Tab complete what is typed. */
  completeBy(complete: KeyboardEvents["complete"]): void {
    this.#complete = complete;
  }

  /** Shows answers as Markdown from now on, where they are streamed. */
  async readMarkdown(): Promise<void> {
    if (!this.#streams || this.#answer) return;
    const { AnswerText } = await import("./markdown/answer-text.ts");
    this.#answer = new AnswerText(process.stdout);
  }

  /** The answer, where it was not streamed already, and a line for each file that goes with it. */
  finish(reply: string, files: readonly MediaRef[] = []): void {
    this.#spinner.stop();
    if (this.#streamed === "" && reply !== "") this.#print(reply);
    if (this.#answer) this.#answer.end();
    else if (this.#streamed !== "" || reply !== "") process.stdout.write("\n");
    for (const file of files) process.stdout.write(`${printable(describeMedia(file))}\n`);
    this.#streamed = "";
  }

  #print(text: string): void {
    if (this.#answer) this.#answer.add(text);
    else process.stdout.write(printableProse(text));
  }

  /** The next message; what was typed while nobody asked counts. */
  async line(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    const reader = await this.#open();
    const typed = this.#typedAhead.shift();
    if (typed !== undefined) return typed;
    this.#awaitsLine = true;
    const line = reader.message(prompt, signal).finally(() => (this.#awaitsLine = false));
    if (this.#givenBack.length > 0) reader.give(this.#givenBack.join("\n"));
    this.#givenBack = [];
    return line;
  }

  /** The answer to this very question; undefined at the end of input and when `signal` ends the waiting. */
  async question(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    return (await this.#open()).answer(prompt, signal);
  }

  /** While a turn runs, words behind a slash that are typed go to `run` at once. */
  onCommand(run: (line: string) => Promise<void>): () => void {
    this.#command = run;
    return () => (this.#command = undefined);
  }

  /** While a turn runs, Ctrl-C and Esc call `stop`; gives the function that ends this. */
  onInterrupt(stop: () => void): () => void {
    this.#interrupt = stop;
    return () => (this.#interrupt = undefined);
  }

  close(): void {
    this.#spinner.stop();
    this.#reader?.close();
  }

  async #open(): Promise<LineReader> {
    if (this.#reader) return this.#reader;
    const { LineReader } = await import("./line-reader.ts");
    this.#reader ??= new LineReader(this.#configDir, {
      stray: (line) => {
        if (this.#command && isCommand(line)) void this.#command(line);
        else this.#typedAhead.push(line);
      },
      interrupt: () => {
        this.#interrupt?.();
        return this.#interrupt !== undefined;
      },
      escape: () => {
        if (!this.#interrupt) return;
        this.#interrupt();
        this.#givenBack = [...this.#givenBack, ...this.#typedAhead.splice(0)];
      },
      complete: (line) => this.#complete(line),
      keepsHistory: () => this.#awaitsLine,
    });
    return this.#reader;
  }

  #show(event: TurnEvent): void {
    if (!this.#person) return;
    if (event.type === "thinking") this.#spinner.start("thinking");
    else if (event.type !== "tool_progress") this.#spinner.stop();
    if (event.type === "delta" && this.#streams) {
      this.#streamed += event.text;
      this.#print(event.text);
    }
    if (event.type === "tool_call") this.#showCall(callLine(event.tool, event.args, process.stderr.columns));
    if (event.type === "tool_progress") this.#spinner.start(`${this.#tool} ${stepText(event)}`);
    if (event.type === "tool_result" && event.code)
      this.#note(`${event.tool}: ${event.decision} (${event.code}) ${event.text}`);
    // Its first line says where the file lies.
    if (event.type === "tool_result" && event.files) this.#note(event.text.split("\n", 1)[0] ?? "");
    if (event.type === "approval_request") this.#asking = this.#asking.then(() => this.#ask(event.request));
    if (event.type === "tool_question")
      this.#asking = this.#asking.then(() => this.#askWords(event.question));
    if (event.type === "tool_question_done") this.#questions.get(event.id)?.abort();
    if (event.type === "approval_done") {
      this.#questions.get(event.id)?.abort();
      if (event.decision === "allow") this.#spinner.start(this.#tool);
    }
  }

  #showCall(line: string): void {
    if (this.#answer) this.#answer.end();
    else if (this.#streamed !== "" && !this.#streamed.endsWith("\n")) process.stdout.write("\n");
    this.#note(line);
    this.#tool = line;
    this.#spinner.start(line);
  }

  async #openQuestion(id: string): Promise<AbortController> {
    const open = new AbortController();
    this.#questions.set(id, open);
    const pending = await this.#approvals.pending();
    if (!pending.some((request) => request.id === id)) open.abort();
    return open;
  }

  #note(text: string): void {
    process.stderr.write(`${styleText("dim", printable(text, 400), { stream: process.stderr })}\n`);
  }

  /** Shows exactly what will run; anything but a clear yes is a no. */
  async #ask(request: ApprovalRequest): Promise<void> {
    const { signal } = await this.#openQuestion(request.id);
    const columns = process.stderr.columns ?? 80;
    process.stderr.write(`${bold(`May ${request.tool} run?`)}\n`);
    let word: string;
    let whole = false;
    do {
      process.stderr.write(approvalText(request, columns, whole));
      word = (await this.question(bold("Allow this once? [y/N] "), signal))?.trim().toLowerCase() ?? "";
      whole = isWordFor("view", word);
      // A command is no answer: it is done, and the question stays, unless the command was the answer.
      if (this.#command && isCommand(word)) await this.#command(word);
    } while (whole || (isCommand(word) && !signal.aborted));
    this.#questions.delete(request.id);
    await this.#approvals.decide(request.id, decisionOf(word), { user: userOfTerminal() });
  }

  /** Asks for the words that a tool wants; an end of the input leaves it. */
  async #askWords(question: ToolQuestion): Promise<void> {
    const by = { user: userOfTerminal() };
    const open = new AbortController();
    this.#questions.set(question.id, open);
    const isOpen = this.#words?.pending(by).some(({ id }) => id === question.id) === true;
    if (!isOpen) open.abort();
    else process.stderr.write(`${printable(toolQuestionText(question))}\n`);
    while (!open.signal.aborted) {
      const line = await this.question(bold("Your answer (or decline, cancel): "), open.signal);
      const word = line?.trim().toLowerCase();
      if (this.#command && line !== undefined && isCommand(line)) {
        await this.#command(line);
        continue;
      }
      const action = line === undefined ? "cancel" : word;
      const said = action === "decline" || action === "cancel" ? ({ action } as const) : (line ?? "");
      const answered = await this.#words?.answer(question.id, said, by);
      if (answered?.outcome !== "wrong") break;
      process.stderr.write(`${printable(answered.reason)}\n`);
    }
    this.#questions.delete(question.id);
  }
}
