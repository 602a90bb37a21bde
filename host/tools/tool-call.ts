import {
  ask,
  Store,
  type AuditEvent,
  type GantryError,
  type Question,
  type Refusal,
  type StatedEffects,
  type Tool,
  type ToolCall,
} from "@gantry/sdk";
import { errors } from "./errors.ts";
import { requestApproval } from "./request-approval.ts";
import { asError, deepFreeze } from "@gantry/sdk/node";
import type { CallDeps, CallOutcome, CallRequest } from "./call.ts";
import { digestOf, effectsOf, resolveEffects } from "./effects.ts";
import { filterResult } from "./filter-result.ts";
import { readable } from "./arguments.ts";
import { namedCall } from "./named-call.ts";
import { effectsContext } from "./origin.ts";
import { prepareCall, type CallToPrepare, type Prepared } from "./prepare-call.ts";
import { runIn } from "./workspace-now.ts";
import { runTool } from "./run-tool.ts";
import { TriedCall } from "./tried-call.ts";
import { conversationOf } from "./turn-context.ts";

/** The one way a tool runs: find, validate, guards, ask, record, run. Never throws. */
export class ToolCalls {
  readonly #deps: CallDeps;

  constructor(deps: CallDeps) {
    this.#deps = deps;
  }

  run(request: CallRequest): Promise<CallOutcome> {
    return runIn(request.turn?.workspace, () => this.#run(request));
  }

  async #run(given: CallRequest): Promise<CallOutcome> {
    const tools = await this.#deps.tools.all();
    const request = namedCall(tools, given);
    let prepared: Prepared;
    try {
      prepared = await prepareCall(this.#deps, tools, request, false);
    } catch (error) {
      return this.#stopped(
        request,
        { args: readable(request.args) },
        "failed",
        asError(error) as GantryError,
      );
    }
    const { tool, call } = prepared;
    const verdict = await this.#deps.hooks.guard("beforeToolCall", call);
    const { rulings } = this.#deps;
    const refusal = "verdict" in verdict ? verdict : await rulings.unoffered(tool, request);
    if (refusal)
      return this.#stopped(request, call, "refused", { code: refusal.code, message: refusal.reason });
    try {
      const questions = supervised(call, verdict as readonly Question[]);
      await using tried = new TriedCall(this.#deps, request, (type, result) =>
        this.#record(type, request, call.args, result),
      );
      const decision = await this.#decide(request, tool, call, questions, tried);
      await this.#unchanged(request, tool, call, await this.#deps.cwd(request.turn));
      if (request.signal.aborted) throw errors.TURN_CANCELLED();
      await this.#record("tool_call", request, call.args, decision);
      await this.#deps.sources.addOf(call);
      const { lease } = request.turn ?? {};
      // Whoever has taken the conversation over makes the calls of this turn.
      const lanes = this.#deps.registry.get(Store)?.lanes;
      const isHeld = lease && (await lanes?.isHeld?.(lease, request.signal));
      if (isHeld === false) throw errors.LEASE_LOST(lease!.lane);
      const outcome = await runTool(this.#deps, request, tool, call, decision, {
        runInner: (inner) => this.run(inner),
        check: (effects) => this.#checkLater(request, tool, call, effects),
        take: () => tried.take(),
      });
      const shown = await filterResult(this.#deps, call, outcome);
      // It has run: what cannot be recorded any more is no reason to hide what it did.
      await this.#record("tool_result", request, call.args, endOf(shown, tried)).catch((error: unknown) =>
        this.#unrecorded(request, error),
      );
      return shown;
    } catch (error) {
      const why = asError(error) as GantryError;
      return this.#stopped(request, call, why.exit === 3 ? "refused" : "failed", why);
    }
  }

  /** Returns a call as the guards would be shown it, for `policy explain`; throws coded errors. */
  async prepare(request: CallToPrepare): Promise<Prepared> {
    const tools = await this.#deps.tools.all();
    return prepareCall(this.#deps, tools, namedCall(tools, request), true);
  }

  /** Without questions it is allowed; else a rule, an earlier approval or a person decides, which is recorded. Throws a no. */
  async #decide(
    request: CallRequest,
    tool: Tool,
    call: ToolCall,
    questions: readonly Question[],
    tried?: TriedCall,
  ): Promise<"allowed" | "approved"> {
    if (questions.length === 0) return "allowed";
    const ruling = await this.#deps.rulings.of(tool, call, questions, conversationOf(request));
    if (ruling.kind === "refused") throw policyError(ruling.refusal);
    if (ruling.kind === "lifted") {
      await this.#record("approval", request, call.args, `allow by ${ruling.by}`);
      return "allowed";
    }
    const asked = { call, questions, coverage: ruling.coverage, tried };
    const { result, error } = await requestApproval(this.#deps, request, tool, asked);
    await this.#record("approval", request, call.args, result);
    if (error) throw error;
    return "approved";
  }

  /** What shows only while the tool runs goes the way of the call itself: guards, question, record. Throws a no. */
  async #checkLater(request: CallRequest, tool: Tool, call: ToolCall, stated: StatedEffects): Promise<void> {
    const { sources, network, hooks } = this.#deps;
    const effects = await resolveEffects(tool, stated, call.cwd);
    const later: ToolCall = deepFreeze({
      ...call,
      effects,
      network: await network(effects.commands),
      sources: await sources.of(call.session),
    });
    try {
      const verdict = await hooks.guard("beforeToolCall", later);
      if ("verdict" in verdict) throw policyError(verdict);
      await this.#decide(request, tool, later, verdict);
      await sources.addOf(later);
    } catch (error) {
      const why = asError(error) as GantryError;
      await this.#stopped(request, call, "refused", why);
      throw why;
    }
  }

  /** What was decided on is what runs: paths are resolved and the target is looked at again, right before the run. */
  async #unchanged(request: CallRequest, tool: Tool, call: ToolCall, cwd: string): Promise<void> {
    const context = effectsContext(this.#deps.registry, request, cwd);
    const effects = await effectsOf(tool, call.args, context);
    const before = digestOf(call.tool, call.args, call.cwd, call.effects);
    if (digestOf(tool.name, call.args, cwd, effects) !== before)
      throw errors.APPROVAL_CHANGED(call.tool, "its paths lead elsewhere now, or what it acts on is another");
  }

  async #stopped(
    request: CallRequest,
    call: { readonly args: Readonly<Record<string, unknown>> },
    decision: "refused" | "failed",
    why: { readonly code: string; readonly message: string },
  ): Promise<CallOutcome> {
    const code = why.code ?? "INTERNAL";
    const { session, user, tool, turn } = request;
    const stopped = { session, user, tool, decision, code, ...(turn && { turn: turn.ids.turn }) };
    this.#deps.observers.tell("toolRefused", stopped);
    const result = `${decision}: ${code}`;
    try {
      await this.#record("tool_call", request, call.args, result);
      if (decision === "refused")
        await this.#record("security_refusal", request, { ...call.args, reason: why.message }, result);
    } catch (error) {
      this.#unrecorded(request, error);
    }
    return { decision, code, text: why.message };
  }

  #record(
    event_type: AuditEvent["event_type"],
    { tool, user, session }: CallRequest,
    args: Readonly<Record<string, unknown>>,
    result: string,
  ): Promise<void> {
    return this.#deps.audit.record({ event_type, tool, args, result, user, session_id: session });
  }

  #unrecorded({ tool }: CallRequest, error: unknown): void {
    this.#deps.log.error({ code: "AUDIT_FAILED", tool }, asError(error).message);
  }
}

/** Returns how a call ended, for its record: `done`, `failed`, or with the code of why. */
function endOf({ decision, code, workFailed }: CallOutcome, { isTaken }: TriedCall): string {
  if (code !== undefined) return `${decision}: ${code}`;
  return (workFailed === true ? "failed" : "done") + (isTaken ? ", taken over" : "");
}

/** A supervised turn asks before every call, also if no guard that enforces the level knows of turns with their own. */
function supervised(call: ToolCall, questions: readonly Question[]): readonly Question[] {
  if (call.autonomy !== "supervised" || questions.length > 0) return questions;
  return [ask(errors.AUTONOMY_SUPERVISED_TURN(call.tool))];
}

/** A refusal as an error, with the code and the sentence of whoever refused. */
function policyError({ code, reason }: Refusal): Error {
  return Object.assign(new Error(reason), { code, exit: 3 });
}
