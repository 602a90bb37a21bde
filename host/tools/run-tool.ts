import {
  GantryError,
  textOf,
  type Part,
  type Sources,
  type StatedEffects,
  type Tool,
  type ToolAnswer,
  type ToolCall,
  type ToolProgress,
  type ToolResult,
  type WordsWanted,
} from "@gantry/sdk";
import { errors } from "./errors.ts";
import { asError, ToldProgress } from "@gantry/sdk/node";
import { runAs } from "../plugins/attribution.ts";
import { askWords } from "./tool-asks.ts";
import type { CallDeps, CallOutcome, CallRequest } from "./call.ts";
import { runInCall } from "./call-around.ts";
import { countHanded, withHanded } from "./handed-files.ts";
import { originOf } from "./origin.ts";

type Told = { readonly wrote?: unknown } | undefined;
const none: Sources = { material: [], private: [] };
export const defaultTimeoutMs = 60_000;
/** A tool that ignores its signal is left behind after this long. */
export const graceMs = 2_000;

/** The ways back into the choke point that a running tool is handed. */
interface Within {
  runInner(inner: CallRequest): Promise<CallOutcome>;
  check(effects: StatedEffects): Promise<void>;
  /** Makes real what was tried of the call, in place of its run; undefined if nothing was. */
  take(): Promise<ToolResult> | undefined;
}

/** Runs a call that was allowed, with limits on its time and its text's length. Never throws. */
export async function runTool(
  deps: CallDeps,
  request: CallRequest,
  tool: Tool,
  call: ToolCall,
  decision: "allowed" | "approved",
  { runInner, check, take }: Within,
): Promise<CallOutcome> {
  const timeoutMs = tool.timeoutMs ?? defaultTimeoutMs;
  const limit = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([request.signal, limit]);
  const started = performance.now();
  const around = request.until ?? request.turn?.until ?? Infinity;
  const running = { ...request, signal, until: Math.min(around, started + timeoutMs) };
  const handed: Part[] = [];
  const callTool = async (name: string, args: Readonly<Record<string, unknown>>): Promise<string> => {
    const { id: _, ...rest } = running;
    const outcome = await runInner({ ...rest, tool: name, args, depth: (request.depth ?? 0) + 1 });
    if (outcome.decision === "refused" || outcome.decision === "failed")
      throw Object.assign(new Error(outcome.text), { code: outcome.code });
    handed.push(...(outcome.parts ?? []).filter((part) => part.type === "media" && part.forPerson));
    return outcome.text;
  };
  const { args, effects, session, user, agent, cwd, sources = none } = call;
  let steps: ToldProgress | undefined;
  let isOver = false;
  let asking: AbortController | undefined;
  const progress = (step: ToolProgress): void => {
    if (request.onProgress && !isOver) (steps ??= new ToldProgress(request.onProgress)).step(step);
  };
  let outcome: CallOutcome;
  deps.observers.tell("toolStarted", { call });
  try {
    const told = { args, effects, session, user, agent, cwd, sources };
    const ask = async (wanted: WordsWanted): Promise<ToolAnswer> => {
      if (isOver) return { action: "cancel" };
      asking ??= new AbortController();
      return askWords(deps, running, call, wanted, AbortSignal.any([signal, asking.signal]));
    };
    const mayAsk = request.approvals === "ask" && request.onEvent !== undefined;
    const ways = { signal, log: deps.log, check, call: callTool, progress, ...(mayAsk && { ask }) };
    const run = {
      ...told,
      ...ways,
      trace: request.turn?.ids.trace,
      message: request.turn?.ids.message,
      get origin() {
        return originOf(deps.registry, request.turn);
      },
    };
    const inCall = (): Promise<unknown> => runInCall(running, async () => take() ?? tool.run(run));
    const work = runAs(`tool ${tool.name}`, inCall);
    // An answer that comes too late still says what was written.
    const noted = work.then((told) => deps.sources.addWritten(session, (told as Told)?.wrote));
    const [answer] = await Promise.race([Promise.all([work, noted]), left(signal)]);
    const read = readAnswer(tool, answer, decision, deps.maxOutputBytes);
    countHanded(request.turn, tool.name, read);
    outcome = withHanded(read, handed);
  } catch (error) {
    outcome = failure(tool, error, request.signal, limit, timeoutMs, deps.maxOutputBytes);
  } finally {
    isOver = true;
    asking?.abort();
    steps?.end();
  }
  const { code } = outcome;
  const failed = outcome.decision === "failed" || outcome.workFailed === true;
  const ms = performance.now() - started;
  deps.observers.tell("toolFinished", { call, failed, ms, ...(code !== undefined && { code }) });
  return outcome;
}

function readAnswer(
  tool: Tool,
  answer: unknown,
  decision: "allowed" | "approved",
  maxBytes: number,
): CallOutcome {
  if (typeof answer === "string") return { decision, text: cut(answer, maxBytes) };
  const { text, parts: given, failed } = (answer ?? {}) as Record<string, unknown>;
  const outcome = { decision, ...(failed === true && { workFailed: true }) };
  if (typeof text === "string") return { ...outcome, text: cut(text, maxBytes) };
  if (!Array.isArray(given) || !given.every(isPart))
    throw errors.TOOL_FAILED(tool.name, `it answered ${typeof answer} instead of text or parts.`);
  const parts = cutParts(given, maxBytes);
  return { ...outcome, text: textOf(parts), parts };
}

function isPart(value: unknown): value is Part {
  const { type, text, media } = (value ?? {}) as Record<string, unknown>;
  if (type === "text") return typeof text === "string";
  if (type !== "media") return typeof type === "string";
  const { id, mime, bytes } = (media ?? {}) as Record<string, unknown>;
  return typeof id === "string" && typeof mime === "string" && typeof bytes === "number";
}

/** The bound is for all texts together. */
function cutParts(parts: readonly Part[], maxBytes: number): readonly Part[] {
  let room = maxBytes;
  return parts.map((part) => {
    if (part.type !== "text") return part;
    const text = cut(part.text, Math.max(0, room));
    room -= Buffer.byteLength(part.text);
    return { ...part, text };
  });
}

function failure(
  tool: Tool,
  thrown: unknown,
  cancelled: AbortSignal,
  limit: AbortSignal,
  timeoutMs: number,
  maxBytes: number,
): CallOutcome {
  if (cancelled.aborted) return failedBy(errors.TURN_CANCELLED());
  if (limit.aborted) return failedBy(errors.TOOL_TIMEOUT(tool.name, timeoutMs / 1_000));
  const error = asError(thrown);
  const { code, exit } = error as { code?: unknown; exit?: unknown };
  const coded = error instanceof GantryError || typeof code === "string";
  const known =
    coded && error.message
      ? { code: code as string, message: error.message }
      : errors.TOOL_FAILED(tool.name, error);
  return {
    decision: coded && exit === 3 ? "refused" : "failed",
    code: known.code,
    text: cut(known.message, maxBytes),
  };
}

const failedBy = ({ code, message }: GantryError): CallOutcome => ({
  decision: "failed",
  code,
  text: message,
});

/** Rejects once the tool has had its time to stop by itself. */
function left(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const leave = (): void => void setTimeout(() => reject(signal.reason), graceMs).unref();
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
  });
}

/** Cuts at a character, not inside one, and says so. */
function cut(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const kept = new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true });
  return `${kept}\n[cut: ${bytes.length - Buffer.byteLength(kept)} more bytes]`;
}
