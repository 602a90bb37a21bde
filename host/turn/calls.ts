import {
  textParts,
  type ChatMessage,
  type Part,
  type ToolCallReport,
  type ToolProgress,
  type ToolUse,
} from "@gantry/sdk";
import { printable } from "@gantry/sdk/node";
import { readable } from "../tools/arguments.ts";
import type { CallOutcome } from "../tools/call.ts";
import type { TurnDeps, TurnInput } from "./turn.ts";

/** So many run side by side: each may need a process, and an answer may hold thousands of calls. */
const maxBeside = 8;

const maxStepText = 200;

export interface CallResult {
  readonly message: ChatMessage;
  readonly report: ToolCallReport;
}

/** Runs the calls of one answer: neighbours that change nothing side by side, all else one by one. Results come in call order. */
export async function runCalls(
  deps: TurnDeps,
  input: TurnInput,
  calls: readonly ToolUse[],
): Promise<readonly CallResult[]> {
  const tools = await deps.tools.all();
  const results: CallResult[] = [];
  for (let i = 0; i < calls.length;) {
    let end = i + 1;
    const beside = (call: ToolUse | undefined): boolean =>
      call !== undefined && tools.get(call.name)?.parallel === true;
    while (end - i < maxBeside && beside(calls[i]) && beside(calls[end])) end += 1;
    results.push(...(await Promise.all(calls.slice(i, end).map((call) => runOne(deps, input, call)))));
    i = end;
  }
  return results;
}

async function runOne(deps: TurnDeps, input: TurnInput, call: ToolUse): Promise<CallResult> {
  const outcome = await shownCall(deps, input, call);
  const { decision, code } = outcome;
  return {
    message: {
      role: "tool",
      callId: call.id,
      name: call.name,
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
  options.onEvent?.({
    type: "tool_call",
    id: call.id,
    tool: call.name,
    args: redaction.value(readable(call.args)),
  });
  const outcome = await calls.run({
    id: call.id,
    tool: call.name,
    args: call.args,
    session,
    user,
    turn,
    ...options,
    ...(options.onEvent && { onProgress: (step: ToolProgress) => tellStep(input, call, step) }),
  });
  const { decision, code } = outcome;
  const text = redaction.text(outcome.text);
  options.onEvent?.({
    type: "tool_result",
    id: call.id,
    tool: call.name,
    decision,
    text,
    ...(code !== undefined && { code }),
  });
  return outcome;
}

function tellStep(
  { options, redaction }: Calling,
  { id, name }: Pick<ToolUse, "id" | "name">,
  step: ToolProgress,
): void {
  const { text } = step;
  const shown = text === undefined ? step : { ...step, text: printable(redaction.text(text), maxStepText) };
  options.onEvent?.({ type: "tool_progress", id, tool: name, ...shown });
}

function stoppedOrFailed({ decision, workFailed }: CallOutcome): boolean {
  return decision === "refused" || decision === "failed" || workFailed === true;
}

/**
 * A result is material, and so is the sentence of a refusal: it may quote what a page, a link or a name has chosen. The
 * host's own word is that it was refused, and the code.
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
