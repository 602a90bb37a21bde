import {
  errors as codes,
  ChatCommands,
  ConfigFile,
  type InboundMessage,
  type Part,
  type PromptOptions,
} from "@gantry/sdk";
import type { Host } from "@gantry/host";
import { stopNote, userOfTerminal } from "@gantry/sdk/node";
import { isPlain } from "../is-plain.ts";
import { asSent } from "../person-words.ts";
import { againCode, restartAsked } from "../restart.ts";
import { printableProse } from "../terminal-line.ts";
import type { Terminal } from "../terminal.ts";
import { useTheme } from "../theme.ts";
import { completer, toolFor } from "./complete.ts";
import type { HostCommandContext } from "./host-command.ts";

export interface Conversation {
  readonly run: HostCommandContext;
  readonly host: Host;
  readonly terminal: Terminal;
  readonly session: string;
  /** The way in which the person is asked, and the model that they chose. */
  readonly options: PromptOptions;
  /** Makes a message of the person. */
  message(text: string, parts?: readonly Part[]): InboundMessage;
}

/** Talks with the person at the terminal until they end it; returns the exit code. */
export async function converse(talk: Conversation, pictures: readonly Part[]): Promise<number> {
  const { run, terminal, session } = talk;
  const again = restartAsked();
  const ending = AbortSignal.any([again, run.signal]);
  const configFile = talk.host.get(ConfigFile);
  useTheme(configFile?.get("terminal.theme"));
  let shown = pictures;
  terminal.completeBy(completer(talk));
  const stops = isPlain() ? "Ctrl-C stops" : "Esc or Ctrl-C stops";
  run.err(`Conversation ${session}. /help lists the commands, /exit or Ctrl-D ends it, ${stops} an answer.`);
  if (run.options["provider"] === undefined && configFile?.get("default_provider") === undefined) {
    const { firstScreen } = await import("../first-screen.ts");
    for (const told of await firstScreen(talk.host, process.env)) run.err(printableProse(told));
  }
  try {
    for (;;) {
      const line = await terminal.line("> ", ending);
      if (again.aborted) return againCode;
      if (run.signal.aborted) return 130;
      if (line === undefined || isExit(line)) return 0;
      const meant = await asSent(line, talk.host.get(ChatCommands));
      const said = await resumed(talk, meant, ending);
      if (said.trim() === "") continue;
      await terminal.readMarkdown();
      if (await isLast(talk, said, shown)) return 0;
      shown = [];
    }
  } finally {
    terminal.close();
  }
}

/**
 * Does what one line asks for; true if the person ended the conversation meanwhile. Ctrl-C and Esc
 * stop that and not the program, a signal to the program stops both.
 */
async function isLast(talk: Conversation, line: string, shown: readonly Part[]): Promise<boolean> {
  const { run, host, terminal } = talk;
  const stop = new AbortController();
  let ends = false;
  const release = terminal.onInterrupt(() => stop.abort());
  const releaseCommands = terminal.onCommand(async (command) => {
    if (isExit(command)) {
      ends = true;
      return stop.abort();
    }
    const { reply } = await host.inbox.prompt(talk.message(command), talk.options);
    run.err(printableProse(reply));
  });
  try {
    const signal = AbortSignal.any([run.signal, stop.signal]);
    if (line.startsWith("!")) await command(talk, line.slice(1).trim(), signal);
    else await turn(talk, line, [...shown, ...(await pasted(talk, line))], signal);
  } catch (error) {
    run.err(error instanceof Error ? error.message : String(error));
  } finally {
    release();
    releaseCommands();
  }
  return ends;
}

/** Returns the pictures that were pasted into a line. */
async function pasted({ host, terminal }: Conversation, line: string): Promise<readonly Part[]> {
  const files = terminal.pictures(line);
  if (files.length === 0) return [];
  const { picturesOf } = await import("../pictures.ts");
  return picturesOf(host, files, userOfTerminal());
}

/** Returns the line that goes on with the conversation that a person picks if they name none. */
async function resumed(
  { host, terminal, session }: Conversation,
  line: string,
  signal: AbortSignal,
): Promise<string> {
  if (line.trim() !== "/resume") return line;
  const { pickSession } = await import("../resume-picker.ts");
  const picked = await pickSession(host, terminal, signal, session);
  return picked === undefined ? "" : `/resume ${picked}`;
}

async function turn(
  { run, host, terminal, session, options, message }: Conversation,
  line: string,
  shown: readonly Part[],
  signal: AbortSignal,
): Promise<void> {
  const result = await host.inbox.prompt(message(line, shown), terminal.options({ ...options, signal }));
  terminal.finish(result.reply, result.files, result.provider === "none");
  const isStopped = signal.aborted && result.error?.code === codes.PROVIDER_CANCELLED.code;
  if (isStopped) run.err("The answer was stopped.");
  else if (result.error) run.err(`${result.error.message} [${result.error.code}]`);
  const note = stopNote(result);
  if (note) run.err(note);
  if (result.provider === "none" || host.get(ConfigFile)?.get("terminal.status_line") === false) return;
  const { statusLine } = await import("../status-line.ts");
  terminal.note(await statusLine(host, { session, user: userOfTerminal() }, result));
}

/**
 * Runs a command of the person's own through the shell tool, under the guards of the model's calls.
 */
async function command(
  { run, host, terminal, options, message }: Conversation,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  if (text === "") return run.err("Write the command behind the `!`: `!ls`.");
  const tool = await toolFor(host, "command");
  if (tool === undefined) return run.err("No loaded plugin has a tool that runs commands.");
  const call = { ...terminal.options({ ...options, signal }), tool, args: { command: text } };
  const outcome = await host.inbox.call(message(text), call);
  terminal.finish("");
  // A refusal was told as it came.
  if (outcome.code === undefined) run.out(outcome.text);
}

function isExit(line: string): boolean {
  return line.trim() === "/exit";
}
