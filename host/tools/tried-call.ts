import type { AuditEvent, Preview, Tool, ToolCall, ToolResult, Tried, Untried } from "@gantry/sdk";
import { asError, withTimeout } from "@gantry/sdk/node";
import { runAs } from "../plugins/attribution.ts";
import { answeredLater } from "./asked-question.ts";
import type { CallDeps, CallRequest } from "./call.ts";
import { errors } from "./errors.ts";
import { filterResult } from "./filter-result.ts";
import { defaultTimeoutMs, graceMs } from "./run-tool.ts";

type Record = (type: AuditEvent["event_type"], result: string) => Promise<void>;

/** A call that its tool tries before a person is asked. What was not taken is dropped with it. */
export class TriedCall implements AsyncDisposable {
  readonly #deps: CallDeps;
  readonly #request: CallRequest;
  readonly #record: Record;
  #tried: Tried | undefined;
  isTaken = false;

  constructor(deps: CallDeps, request: CallRequest, record: Record) {
    this.#deps = deps;
    this.#request = request;
    this.#record = record;
  }

  /** Tries the call `key`; returns what the question shows, as a model sees it. Never throws. */
  async begin(tool: Tool, call: ToolCall, key: string): Promise<Preview | Untried | undefined> {
    const { signal: stop, turn } = this.#request;
    const ms = tool.timeoutMs ?? defaultTimeoutMs;
    const signal = AbortSignal.any([stop, AbortSignal.timeout(ms)]);
    const clean = async (text: string): Promise<string> => {
      const filtered = await filterResult(this.#deps, call, { decision: "approved", text });
      return (turn?.redaction ?? this.#deps.forOwner).text(filtered.text);
    };
    const context = { key, waitMs: this.#deps.approvals.waitMs, signal, clean };
    const trying = runAs(`tool ${tool.name}`, async () => tool.tryFirst?.(call, context));
    const late = (): Error => errors.TOOL_TIMEOUT(tool.name, ms / 1_000);
    try {
      const tried = await withTimeout(ms + graceMs, trying, late);
      if (!tried || "untried" in tried) return tried;
      const { text, diff } = tried.preview;
      const shown = { text: await clean(text), ...(diff && { diff: await clean(diff) }) };
      await this.#record("tool_call", "tried");
      this.#tried = tried;
      return shown;
    } catch (error) {
      void trying.then((tried) => (tried as Tried | undefined)?.drop?.()).catch(() => undefined);
      return { untried: asError(error).message.replace(/\.$/, "") };
    }
  }

  /** Makes real what was tried; undefined if nothing was. */
  take(): Promise<ToolResult> | undefined {
    const tried = this.#tried;
    this.#tried = undefined;
    this.isTaken = tried !== undefined;
    return tried?.take();
  }

  /** Drops what was not taken; a turn that begins again finds it. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#tried || this.#request.signal.reason === answeredLater) return;
    try {
      await this.#tried.drop();
      await this.#record("tool_result", "dropped");
    } catch (error) {
      this.#deps.log.error({ tool: this.#request.tool }, asError(error).message);
    }
  }
}
