import type { SessionUpdate, ToolCallContent, ToolKind } from "@agentclientprotocol/sdk";
import type { ApprovalRequest, ToolCall, TurnEvent } from "@gantry/sdk";
import { changesIn, changesSince, textsOf, type Texts } from "./diffs.ts";
import { fenced, kindAsked, kindOf, locationsOf, textContent, titleOf } from "./shown-call.ts";

type Called = Extract<TurnEvent, { type: "tool_call" }>;
type Ended = Extract<TurnEvent, { type: "tool_result" }>;
type Step = Extract<TurnEvent, { type: "tool_progress" }>;

interface Running {
  /** As the editor knows it. */
  readonly shown: string;
  readonly tool: string;
  readonly args: string;
  asked: boolean;
  before: Texts;
}

/** A call as a question about it names it. */
export interface AskedCall {
  readonly toolCallId: string;
  readonly title: string;
  readonly kind?: ToolKind;
  readonly status: "pending";
  readonly content: ToolCallContent[];
  readonly rawInput: unknown;
}

/** The calls of one turn, as an editor is told of them. */
export class ToolCallUpdates {
  readonly #next: () => string;
  readonly #folder: string;
  readonly #running = new Map<string, Running>();

  /** `next` gives an id that no other call of the session has. */
  constructor(next: () => string, folder: string) {
    this.#next = next;
    this.#folder = folder;
  }

  called({ id, tool, args }: Called): SessionUpdate {
    const shown = this.#next();
    this.#running.set(id, { shown, tool, args: JSON.stringify(args), asked: false, before: new Map() });
    return {
      sessionUpdate: "tool_call",
      toolCallId: shown,
      title: titleOf(tool, args),
      name: tool,
      status: "pending",
      rawInput: args,
    };
  }

  /** A call was let through: only now is it known what it touches. */
  started({ id, effects }: ToolCall): SessionUpdate | undefined {
    const running = this.#running.get(id);
    if (!running) return undefined;
    const written = effects.paths.filter(({ access }) => access === "write");
    if (effects.commands.length === 0) running.before = textsOf(written.map(({ resolved }) => resolved));
    return {
      sessionUpdate: "tool_call_update",
      toolCallId: running.shown,
      kind: kindOf(effects),
      status: "in_progress",
      locations: [...locationsOf(effects)],
    };
  }

  step({ id, done, total, text = "" }: Step): SessionUpdate | undefined {
    const running = this.#running.get(id);
    if (!running) return undefined;
    const count = total === undefined ? String(done) : `${done} of ${total}`;
    return {
      sessionUpdate: "tool_call_update",
      toolCallId: running.shown,
      content: [fenced(text === "" ? count : `${count}: ${text}`)],
    };
  }

  ended({ id, decision, code, text }: Ended): SessionUpdate | undefined {
    const running = this.#running.get(id);
    if (!running) return undefined;
    this.#running.delete(id);
    const failed = decision === "refused" || decision === "failed";
    const said = text === "" ? [] : [fenced(text)];
    return {
      sessionUpdate: "tool_call_update",
      toolCallId: running.shown,
      status: failed ? "failed" : "completed",
      content: [...changesSince(running.before), ...said],
      rawOutput: { decision, ...(code !== undefined && { code }) },
    };
  }

  /**
   * Returns the call that a question is about; one that no update has named yet, such as a step of
   * another call, is new.
   */
  asked(request: ApprovalRequest, text: string): AskedCall {
    const args = JSON.stringify(request.args);
    const open = [...this.#running.values()].filter((one) => !one.asked && one.tool === request.tool);
    const found = open.find((one) => one.args === args) ?? open[0];
    if (found) found.asked = true;
    const kind = kindAsked(request);
    return {
      toolCallId: found?.shown ?? this.#next(),
      title: titleOf(request.tool, request.args),
      ...(kind !== undefined && { kind }),
      status: "pending",
      content: [...changesIn(request.diff ?? "", this.#folder), fenced(text)],
      rawInput: request.args,
    };
  }

  /** Ends what an aborted turn has left open. */
  left(): readonly SessionUpdate[] {
    const open = [...this.#running.values()];
    this.#running.clear();
    return open.map(({ shown }) => ({
      sessionUpdate: "tool_call_update",
      toolCallId: shown,
      status: "failed",
      content: [textContent("The turn ended before this call did.")],
    }));
  }
}
