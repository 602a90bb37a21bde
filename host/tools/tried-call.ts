import type { AuditEvent, Preview, Tool, ToolCall, ToolResult, Tried, Untried } from "@gantry/sdk";
import { asError, withTimeout } from "@gantry/sdk/node";
import { runAs } from "../plugins/attribution.ts";
import { answeredLater } from "./asked-question.ts";
import type { CallDeps, CallRequest } from "./call.ts";
import { errors } from "./errors.ts";
import { filterResult } from "./filter-result.ts";
import { defaultTimeoutMs, graceMs } from "./run-tool.ts";

/** A call that its tool tries before a person is asked. What was not taken is dropped with it. */
export class TriedCall implements AsyncDisposable {
  readonly #deps: CallDeps;
  readonly #request: CallRequest;
  #tried: Tried | undefined;
  #call: ToolCall | undefined;

  constructor(deps: CallDeps, request: CallRequest) {
    this.#deps = deps;
    this.#request = request;
  }

  /** Has the tool try the call; returns what the question shows of that. `key`: the name of the call. Never throws. */
  async begin(tool: Tool, call: ToolCall, key: string): Promise<Preview | Untried | undefined> {
    const ms = tool.timeoutMs ?? defaultTimeoutMs;
    const signal = AbortSignal.any([this.#request.signal, AbortSignal.timeout(ms)]);
    const context = { key, waitMs: this.#deps.approvals.waitMs, signal };
    const trying = runAs(`tool ${tool.name}`, async () => tool.tryFirst?.(call, context));
    try {
      const tried = await withTimeout(ms + graceMs, trying, () => errors.TOOL_TIMEOUT(tool.name, ms / 1_000));
      if (!tried || "untried" in tried) return tried;
      const { text, diff } = tried.preview;
      const shown = { text: await this.#clean(call, text), diff: diff && (await this.#clean(call, diff)) };
      await this.#record(call, "tool_call", "tried");
      [this.#tried, this.#call] = [tried, call];
      return shown as Preview;
    } catch (error) {
      const drop = async (): Promise<void> => ((await trying) as Tried | undefined)?.drop?.();
      void drop().catch(() => undefined);
      return { untried: asError(error).message.replace(/\.$/, "") };
    }
  }

  /** Makes real what was tried; undefined if nothing was. */
  take(): Promise<ToolResult> | undefined {
    const tried = this.#tried;
    this.#tried = undefined;
    return tried?.take();
  }

  /** True if something was tried and taken. */
  get isTaken(): boolean {
    return this.#call !== undefined && !this.#tried;
  }

  /** Drops what was not taken; if the turn begins again, it is left for that. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#tried || !this.#call || this.#request.signal.reason === answeredLater) return;
    try {
      await this.#tried.drop();
      await this.#record(this.#call, "tool_result", "dropped");
    } catch (error) {
      this.#deps.log.error({ tool: this.#call.tool }, asError(error).message);
    }
  }

  /** What the model would not be shown, people are not shown either. */
  async #clean(call: ToolCall, text: string): Promise<string> {
    const filtered = await filterResult(this.#deps, call, { decision: "approved", text });
    return (this.#request.turn?.redaction ?? this.#deps.forOwner).text(filtered.text);
  }

  #record(
    { tool, args, user, session }: ToolCall,
    type: AuditEvent["event_type"],
    result: string,
  ): Promise<void> {
    return this.#deps.audit.record({ event_type: type, tool, args, result, user, session_id: session });
  }
}
