import {
  errors as codes,
  ToolQuestions,
  type PromptOptions,
  type TurnEvent,
  type TurnResult,
} from "@gantry/sdk";
import type { Host } from "@gantry/host";
import { stopNote } from "@gantry/sdk/node";
import { exitOf } from "../exit-of.ts";
import { Terminal } from "../terminal.ts";
import { askOptions, inbound, pictures, promptOf, sessionOf } from "./agent-input.ts";
import type { Conversation } from "./conversation.ts";
import type { HostCommandContext } from "./host-command.ts";

export async function run(run: HostCommandContext): Promise<number> {
  const { json, jsonStream, watch, model, provider } = run.options;
  for (const [name, value] of Object.entries({ model, provider }))
    if (value === "") throw codes.USAGE(`--${name} is empty`, "agent ");
  const text = await promptOf(run);
  if (text !== undefined && watch)
    throw codes.USAGE("--watch is for a conversation and -m is one turn", "agent ");
  if (text !== undefined) return oneTurn(run, text);
  if (json || jsonStream) throw codes.USAGE("--json needs a message with -m", "agent ");
  if (watch) return watchConversation(run);
  if (!run.interactive)
    throw codes.USAGE("There is no terminal to talk in: pass a message with -m", "agent ");
  const host = await run.host();
  const shown = await pictures(run, host);
  const terminal = terminalOf(run, host, true);
  const session = await sessionIn(run, host, terminal);
  if (session === undefined) return 0;
  const message: Conversation["message"] = (text, parts = []) => inbound(text, session, parts);
  const { converse } = await import("./conversation.ts");
  return converse({ run, host, terminal, session, options: askOptions(run), message }, shown);
}

/**
 * Returns the conversation that is meant, or the one that the person picks; undefined if they pick
 * none.
 */
async function sessionIn(
  run: HostCommandContext,
  host: Host,
  terminal: Terminal,
): Promise<string | undefined> {
  if (run.options["resume"] !== true) return sessionOf(run, run.host);
  const { pickSession } = await import("../resume-picker.ts");
  const picked = await pickSession(host, terminal, run.signal);
  if (picked === undefined) terminal.close();
  return picked;
}

/** The answer on stdout, everything else on stderr. */
async function oneTurn(run: HostCommandContext, text: string): Promise<number> {
  const json = run.options["json"] === true;
  const stream = run.options["jsonStream"] === true;
  const host = await run.host();
  const terminal = terminalOf(run, host, run.interactive, process.stdout.isTTY && !json && !stream);
  try {
    const message = inbound(text, await sessionOf(run, run.host), await pictures(run, host));
    const options = stream ? streamed(run) : terminal.options(askOptions(run));
    const result = await host.inbox.prompt(message, options);
    const { error, ...rest } = result;
    const shown = error ? { ...rest, error: { code: error.code, message: error.message } } : rest;
    if (json || stream) terminal.finish("");
    else terminal.finish(result.reply, result.files);
    if (stream) run.out(JSON.stringify({ type: "done", ...shown }));
    else if (json) run.out(JSON.stringify(shown));
    if (error && !json && !stream) run.err(`gantry: ${error.message} [${error.code}]`);
    const note = stopNote(result);
    if (note && !json && !stream) run.err(`gantry: ${note}`);
    return exitCode(host, result);
  } finally {
    terminal.close();
  }
}

/** A program reads along, so nobody can be asked. */
function streamed(run: HostCommandContext): PromptOptions {
  const { approvals, ...rest } = askOptions(run);
  const onEvent = (event: TurnEvent): void => run.out(JSON.stringify(event));
  return { ...rest, approvals: approvals === "yes" ? "yes" : "none", onEvent };
}

function terminalOf(run: HostCommandContext, host: Host, person: boolean, streams?: boolean): Terminal {
  const { approvals } = host;
  const questions = host.get(ToolQuestions);
  return new Terminal({ approvals, questions, configDir: run.session.configDir }, person, streams);
}

/** The conversation goes on in a new process whenever a plugin under work changes. */
async function watchConversation(run: HostCommandContext): Promise<number> {
  const { watch } = await import("../watch.ts");
  const { provider, model, yes, workspace } = run.options;
  const kept = Object.entries({ provider, model, workspace, session: await sessionOf(run, run.host) });
  const args = kept.flatMap(([name, value]) => (typeof value === "string" ? [`--${name}`, value] : []));
  return watch(run.session, ["agent", ...args, ...(yes ? ["--yes"] : [])], run.signal, run.err);
}

/** 3 where all that the model wanted to do was refused. */
function exitCode(host: Host, { error, tool_calls }: TurnResult): number {
  if (error) return exitOf(host, error.code);
  const refused = tool_calls.some(
    ({ decision, code = "" }) => decision === "refused" && exitOf(host, code, 3) === 3,
  );
  const ran = tool_calls.some(({ decision }) => decision === "allowed" || decision === "approved");
  return refused && !ran ? 3 : 0;
}
