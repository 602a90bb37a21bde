import {
  textParts,
  type Awaitable,
  type ChatMessage,
  type NamedCall,
  type Part,
  type Tool,
  type ToolCallReport,
  type ToolProgress,
  type ToolUse,
} from "@gantry/sdk";
import { after, isPromise, printable } from "@gantry/sdk/node";
import { readable } from "../tools/arguments.ts";
import type { CallOutcome } from "../tools/call.ts";
import { handedOver } from "./handed-over.ts";
import { namedCall } from "../tools/named-call.ts";
import type { TurnDeps, TurnInput } from "./turn.ts";

/** So many run side by side: each may need a process, and an answer may hold thousands of calls. */
const maxBeside = 8;

const maxStepText = 200;

export interface CallResult {
  readonly message: ChatMessage;
  readonly report: ToolCallReport;
}

/** Runs an answer's calls, harmless neighbours side by side; the results come in call order. */
export async function runCalls(
  deps: TurnDeps,
  input: TurnInput,
  calls: readonly ToolUse[],
): Promise<readonly CallResult[]> {
  const tools = await deps.tools.all();
  const named = calls.map((call) => asNamed(tools, call));
  const results: CallResult[] = [];
  for (let i = 0; i < named.length;) {
    let end = i + 1;
    const beside = (call: NamedUse | undefined): boolean =>
      call !== undefined && tools.get(call.name)?.parallel === true;
    while (end - i < maxBeside && beside(named[i]) && beside(named[end])) end += 1;
    results.push(...(await Promise.all(named.slice(i, end).map((call) => runOne(deps, input, call)))));
    i = end;
  }
  return results;
}

/** A call by the name of its tool, which need not be the name that the model called. */
type NamedUse = Omit<ToolUse, "args"> & { readonly called: string; readonly args: unknown };

function asNamed(tools: ReadonlyMap<string, Tool>, { id, name: called, args: given }: ToolUse): NamedUse {
  const { tool: name, args } = namedCall<NamedCall>(tools, { tool: called, args: given });
  return { id, name, called, args };
}

async function runOne(deps: TurnDeps, input: TurnInput, call: NamedUse): Promise<CallResult> {
  const outcome = await shownCall(deps, input, call);
  const { decision, code } = outcome;
  return {
    message: {
      role: "tool",
      callId: call.id,
      name: call.called,
      parts: forModel(outcome, call.name),
      failed: stoppedOrFailed(outcome),
    },
    report: { tool: call.name, decision, ...(code !== undefined && { code }) },
  };
}

type Calling = Pick<TurnInput, "session" | "user" | "redaction" | "context"> & {
  readonly options: Pick<TurnInput["options"], "onEvent" | "signal" | "approvals" | "tools">;
};

/** Runs one call and shows whoever watches what it does, redacted. */
export async function shownCall(
  { calls }: Pick<TurnDeps, "calls">,
  input: Calling,
  call: Omit<ToolUse, "args"> & { readonly args: unknown },
): Promise<CallOutcome> {
  const { session, user, options, redaction, context: turn } = input;
  const asked = redaction.value(readable(call.args));
  const args = isPromise(asked) ? await asked : asked;
  options.onEvent?.({ type: "tool_call", id: call.id, tool: call.name, args });
  let steps: Awaitable<void> = undefined;
  const onProgress = (step: ToolProgress): void => {
    steps = after(steps, () => tellStep(input, call, step));
  };
  const outcome = await calls.run({
    id: call.id,
    tool: call.name,
    args: call.args,
    session,
    user,
    turn,
    ...options,
    ...(options.onEvent && { onProgress }),
  });
  const { decision, code } = outcome;
  const said = redaction.text(outcome.text);
  const text = isPromise(said) ? await said : said;
  const handed = handedOver(outcome.parts, redaction);
  const files = isPromise(handed) ? await handed : handed;
  if (isPromise(steps)) await steps;
  options.onEvent?.({
    type: "tool_result",
    id: call.id,
    tool: call.name,
    decision,
    text,
    ...(code !== undefined && { code }),
    ...(files.length > 0 && { files }),
  });
  return outcome;
}

/** Shows a step; one whose text is to be redacted later is shown then, unless that fails. */
function tellStep(
  { options, redaction }: Calling,
  { id, name }: Pick<ToolUse, "id" | "name">,
  step: ToolProgress,
): Awaitable<void> {
  const show = (text?: string): void => {
    const shown = text === undefined ? step : { ...step, text: printable(text, maxStepText) };
    options.onEvent?.({ type: "tool_progress", id, tool: name, ...shown });
  };
  if (step.text === undefined) return show();
  const clean = redaction.text(step.text);
  return isPromise(clean) ? clean.then(show, () => undefined) : show(clean);
}

function stoppedOrFailed({ decision, workFailed }: CallOutcome): boolean {
  return decision === "refused" || decision === "failed" || workFailed === true;
}

/**
 * A result is material, and so is a refusal's sentence: it may quote what a page, a link or a name
 * has chosen. The host's own word is the code and that it was refused.
 */
function forModel(
  { decision, code = "", text, parts = textParts(text) }: CallOutcome,
  tool: string,
): readonly Part[] {
  const from = `tool ${tool}`;
  const marked = parts.map((part) =>
    part.type === "text" || part.type === "media" ? { ...part, from } : part,
  );
  if (decision !== "refused") return marked;
  return [...textParts(`Refused (${/^[A-Z][A-Z0-9_]*$/.test(code) ? code : "no code"}):`), ...marked];
}
