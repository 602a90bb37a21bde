import { styleText } from "node:util";
import { describeMedia } from "@gantry/sdk";
import type { MediaRef, PromptOptions, TurnEvent } from "@gantry/sdk";
import type { AnswerText } from "./markdown/answer-text.ts";
import { callLine, stepText } from "./call-line.ts";
import { isCommand } from "./person-words.ts";
import { printableProse } from "./terminal-line.ts";
import type { KeyboardEvents, LineReader } from "./line-reader.ts";
import { Spinner } from "./spinner.ts";
import { TerminalQuestions, type AskingDeps } from "./terminal-questions.ts";
import { printable } from "@gantry/sdk/node";

interface TerminalDeps extends Pick<AskingDeps, "approvals" | "questions"> {
  readonly configDir: string;
}

/** The call that was shown last. */
interface LastCall {
  readonly id: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result?: string;
}

/**
 * The person at the terminal: streamed text, a spinner while the model thinks, approvals asked in
 * place.
 */
export class Terminal {
  readonly #questions: TerminalQuestions;
  readonly #person: boolean;
  readonly #spinner: Spinner = new Spinner(process.stderr);
  readonly #streams: boolean;
  readonly #configDir: string;
  #reader: LineReader | undefined;
  #awaitsLine = false;
  #command: ((line: string) => Promise<void>) | undefined;
  /** The call that runs or is asked about, as it is shown. */
  #tool = "";
  #last: LastCall | undefined;
  #streamed = "";
  #isAnswering = false;
  #interrupt: (() => void) | undefined;
  readonly #typedAhead: string[] = [];
  /** The lines that Esc gives back for the next line. */
  #givenBack: readonly string[] = [];
  #answer: AnswerText | undefined;
  #complete: KeyboardEvents["complete"] = async (line) => [[], line];

  /**
   * `person` is false if nobody can see or answer anything; `streams` is true if stdout takes the
   * answer as it comes.
   */
  constructor(
    { configDir, ...deps }: TerminalDeps,
    person: boolean,
    streams: boolean = process.stdout.isTTY,
  ) {
    const ask = (prompt: string, signal: AbortSignal) => this.question(prompt, signal);
    this.#questions = new TerminalQuestions({ ...deps, ask, command: () => this.#command });
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

  /**
   * Writes the answer if it was not streamed already, and a line for each file that goes with it.
   * Words of the service are `verbatim`: they are not Markdown.
   */
  finish(reply: string, files: readonly MediaRef[] = [], verbatim: boolean = false): void {
    this.#spinner.stop();
    this.#isAnswering = false;
    const isSaid = this.#streamed === "" && reply !== "";
    if (isSaid && verbatim) process.stdout.write(printableProse(reply));
    else if (isSaid) this.#print(reply);
    if (this.#answer && !(isSaid && verbatim)) this.#answer.end();
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

  /** Returns the files of pictures that were pasted into a line. */
  pictures(line: string): readonly string[] {
    return this.#reader?.pictures(line) ?? [];
  }

  /**
   * The answer to this very question; undefined at the end of input and when `signal` ends the
   * waiting.
   */
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
      unfold: () => this.#unfolded(),
      complete: (line) => this.#complete(line),
      keepsHistory: () => this.#awaitsLine,
    });
    return this.#reader;
  }

  /** The last call, whole, as it is shown on demand. */
  #unfolded(): string | undefined {
    const last = this.#last;
    // Nothing is put into words that are being written.
    if (!last || this.#isAnswering) return undefined;
    const args = Object.entries(last.args).map(
      ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
    );
    const rows = [...args, ...(last.result === undefined ? ["It runs."] : ["", last.result])];
    this.#spinner.stop();
    return [
      last.tool,
      ...rows.flatMap((row) => row.split("\n")).map((row) => `  ${printableProse(row)}`),
    ].join("\n");
  }

  #show(event: TurnEvent): void {
    if (!this.#person) return;
    if (event.type === "thinking") this.#spinner.start("thinking");
    else if (event.type !== "tool_progress") this.#spinner.stop();
    if (event.type === "delta" && this.#streams) {
      this.#streamed += event.text;
      this.#isAnswering = true;
      this.#print(event.text);
    }
    if (event.type === "tool_call") this.#last = event;
    if (event.type === "tool_result" && this.#last?.id === event.id)
      this.#last = { ...this.#last, result: event.text };
    if (event.type === "tool_call") this.#showCall(callLine(event.tool, event.args, process.stderr.columns));
    if (event.type === "tool_progress") this.#spinner.start(`${this.#tool} ${stepText(event)}`);
    if (event.type === "tool_result" && event.code)
      this.note(`${event.tool}: ${event.decision} (${event.code}) ${event.text}`);
    // Its first line says where the file lies.
    if (event.type === "tool_result" && event.files) this.note(event.text.split("\n", 1)[0] ?? "");
    this.#questions.tell(event);
    if (event.type === "approval_done" && event.decision === "allow") this.#spinner.start(this.#tool);
  }

  #showCall(line: string): void {
    this.#isAnswering = false;
    if (this.#answer) this.#answer.end();
    else if (this.#streamed !== "" && !this.#streamed.endsWith("\n")) process.stdout.write("\n");
    this.note(line);
    this.#tool = line;
    this.#spinner.start(line);
  }

  /** Writes a line that is not part of an answer. */
  note(text: string): void {
    process.stderr.write(`${styleText("dim", printable(text, 400), { stream: process.stderr })}\n`);
  }
}
