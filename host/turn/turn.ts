import {
  errors,
  textParts,
  type Part,
  type ChatMessage,
  type ProviderFailure,
  type Served,
  type StopReason,
  type ToolCallReport,
  type ToolUse,
  type TurnResult,
  type PromptOptions,
} from "@gantry/sdk";
import { asError } from "@gantry/sdk/node";
import type { Providers } from "./providers.ts";
import { collectCompletion, type Answer } from "./completion.ts";
import type { Redaction } from "../record/redaction.ts";
import type { Registry } from "../plugins/registry.ts";
import { runCalls } from "./calls.ts";
import type { ToolCalls } from "../tools/tool-call.ts";
import { Boundary } from "./boundary.ts";

export interface TurnDeps {
  readonly registry: Registry;
  readonly models: Providers;
  readonly calls: ToolCalls;
  readonly redaction: Redaction;
  readonly temperature: number;
  readonly maxIterations: number;
  readonly workspace: string;
}

export interface TurnInput {
  readonly parts: readonly Part[];
  readonly session: string;
  readonly user: string;
  /** What the message answers or forwards: material. */
  readonly quoted: readonly Part[];
  readonly history: readonly ChatMessage[];
  readonly want: { readonly provider: string | undefined; readonly model: string | undefined };
  readonly options: Omit<PromptOptions, "provider" | "model">;
}

/** What a turn gives: the answer for the person, redacted, and the messages that belong into the session, whole. */
export interface Turn {
  readonly result: TurnResult;
  readonly messages: readonly ChatMessage[];
}

/** What a turn has used so far. */
export interface Tally {
  served: Served;
  input: number;
  output: number;
  readonly reports: ToolCallReport[];
}

/** The agent loop: asks the model, runs the tools it calls, until it is done. Never throws; what cannot be redacted is not answered. */
export async function runTurn(deps: TurnDeps, input: TurnInput): Promise<Turn> {
  const tally: Tally = {
    served: { provider: input.want.provider ?? "none", model: input.want.model },
    input: 0,
    output: 0,
    reports: [],
  };
  try {
    return await loop(deps, input, tally);
  } catch (error) {
    const { code = "INTERNAL", message } = asError(error) as Error & { code?: string };
    return {
      result: {
        ...summary(input, tally),
        reply: "",
        stop_reason: "Error",
        error: { code, message, retry: false },
      },
      messages: [],
    };
  }
}

async function loop(deps: TurnDeps, input: TurnInput, tally: Tally): Promise<Turn> {
  const boundary = new Boundary();
  const history = boundary.renew(input.history);
  const quoted = boundary.markParts("a quoted message", input.quoted);
  const messages: ChatMessage[] = [{ role: "user", parts: [...quoted, ...input.parts] }];
  const system: ChatMessage = { role: "system", parts: textParts(systemPrompt(deps, boundary)) };
  const shown: string[] = [];
  for (let i = 0; i < deps.maxIterations; i += 1) {
    const answer = await collectCompletion(deps, input, [system, ...history, ...messages], tally);
    if (answer.text !== "") shown.push(answer.text);
    if (answer.text !== "" || answer.calls.length > 0) messages.push(asMessage(answer));
    if (answer.failure || answer.calls.length === 0) {
      for (const call of answer.calls) messages.push(unanswered(call));
      return finish(
        deps,
        input,
        tally,
        messages,
        answer.text || shown.join("\n\n"),
        answer.stop,
        answer.failure,
      );
    }
    const results = await runCalls(deps, input, answer.calls, boundary);
    messages.push(...results.map(({ message }) => message));
    tally.reports.push(...results.map(({ report }) => report));
    if (input.options.signal.aborted)
      return stopped(deps, input, tally, messages, shown, errors.TURN_CANCELLED());
  }
  return stopped(deps, input, tally, messages, shown, errors.TURN_TOO_LONG(deps.maxIterations));
}

function systemPrompt(deps: TurnDeps, boundary: Boundary): string {
  return [
    "You are Gantry, an agent that works for one owner. Answer in the language you are addressed in, briefly and truthfully.",
    `Use the tools where they help; paths are relative to the workspace ${deps.workspace}. A refused call is final: say what was refused and why, and do not try to get around it.`,
    boundary.rule,
  ].join("\n\n");
}

function asMessage({ text, calls, providerData }: Answer): ChatMessage {
  const message = { role: "assistant" as const, parts: text === "" ? [] : textParts(text), toolCalls: calls };
  return providerData === undefined ? message : { ...message, providerData };
}

function unanswered(call: ToolUse): ChatMessage {
  return {
    role: "tool",
    callId: call.id,
    name: call.name,
    parts: textParts("The turn ended before this was run."),
    failed: true,
  };
}

function stopped(
  deps: TurnDeps,
  input: TurnInput,
  tally: Tally,
  messages: ChatMessage[],
  shown: readonly string[],
  error: Error & { code: string },
): Turn {
  const text = shown.join("\n\n");
  messages.push({ role: "assistant", parts: textParts(`[${error.message}]`), toolCalls: [] });
  return finish(deps, input, tally, messages, text, "Error", {
    code: error.code,
    message: error.message,
    retry: false,
  });
}

function finish(
  deps: TurnDeps,
  input: TurnInput,
  tally: Tally,
  messages: readonly ChatMessage[],
  reply: string,
  stop: StopReason,
  failure: ProviderFailure | undefined,
): Turn {
  const result: TurnResult = {
    ...summary(input, tally),
    reply: deps.redaction.text(reply),
    stop_reason: stop,
    ...(failure && { error: { ...failure, message: deps.redaction.text(failure.message) } }),
  };
  return { result, messages: messages.length > 1 ? deps.redaction.kept(messages) : [] };
}

function summary(input: TurnInput, tally: Tally): Omit<TurnResult, "reply" | "stop_reason"> {
  return {
    session_id: input.session,
    provider: tally.served.provider,
    model: tally.served.model ?? null,
    usage: { input_tokens: tally.input, output_tokens: tally.output },
    tool_calls: tally.reports,
  };
}
