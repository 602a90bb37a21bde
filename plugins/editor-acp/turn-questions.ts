import type { ApprovalRequest, ToolQuestion, TurnEvent } from "@gantry/sdk";
import { approvalText } from "@gantry/sdk/fill";
import { decisionOf, optionsOf } from "./permission.ts";
import { formOf, saidBy } from "./question-form.ts";
import type { Editor } from "./editor.ts";
import type { Needs } from "./needs.ts";
import type { ToolCallUpdates } from "./tool-calls.ts";

/** So often a form is shown that does not fit what was asked. */
const mostTries = 3;

interface Asking extends Pick<Needs, "approvals" | "questions" | "log"> {
  readonly editor: Editor;
  readonly session: string;
  /** `<channel>:<id>` of who is asked. */
  readonly user: string;
  readonly calls: ToolCallUpdates;
  /** Ends all of them. */
  readonly signal: AbortSignal;
  /** Says something to the person. */
  say(text: string): void;
}

/**
 * The open questions of one turn. An answer counts for the question that it answers, while that is
 * open, and for nothing else.
 */
export class TurnQuestions {
  readonly #deps: Asking;
  readonly #open = new Map<string, AbortController>();

  constructor(deps: Asking) {
    this.#deps = deps;
  }

  /** True for an event that is a question, or the end of one. */
  take(event: TurnEvent): boolean {
    if (event.type === "approval_request") this.#begin(event.request.id, this.#ask(event.request));
    else if (event.type === "tool_question") this.#begin(event.question.id, this.#askWords(event.question));
    else if (event.type !== "approval_done" && event.type !== "tool_question_done") return false;
    else this.#open.get(event.id)?.abort();
    return true;
  }

  #begin(id: string, ask: (signal: AbortSignal) => Promise<void>): void {
    const over = new AbortController();
    this.#open.set(id, over);
    void ask(AbortSignal.any([over.signal, this.#deps.signal]))
      .catch((error: unknown) => this.#deps.log.warn({ err: error }, "A question could not be asked."))
      .finally(() => this.#open.delete(id));
  }

  #ask(request: ApprovalRequest): (signal: AbortSignal) => Promise<void> {
    const { approvals, calls, editor, session: sessionId, user } = this.#deps;
    const toolCall = calls.asked(request, approvalText(request, true));
    return async (signal) => {
      const wanted = { sessionId, toolCall, options: optionsOf(request) };
      const answer = await editor.permission(wanted, signal).catch(() => undefined);
      if (!signal.aborted) await approvals.decide(request.id, decisionOf(request, answer), { user });
    };
  }

  #askWords(question: ToolQuestion): (signal: AbortSignal) => Promise<void> {
    const { editor, questions, session, user, say } = this.#deps;
    const by = { user };
    return async (signal) => {
      const form = formOf(question, session);
      let reason = "";
      for (let tries = 0; editor.showsForms && tries < mostTries; tries += 1) {
        const asked = { ...form, message: `${form.message}${reason}` };
        const answer = await editor.form(asked, signal).catch(() => undefined);
        if (signal.aborted) return;
        const answered = await questions?.answer(question.id, saidBy(question, answer), by);
        if (answered?.outcome !== "wrong") return;
        reason = `\n\n${answered.reason}`;
      }
      if (!editor.showsForms)
        say(`The tool ${question.tool} asks for words, and this editor shows no forms.`);
      await questions?.answer(question.id, { action: "cancel" }, by);
    };
  }
}
