import {
  Channels,
  ToolQuestions,
  type ToolAnswer,
  type ToolCall,
  type ToolQuestion,
  type WordsWanted,
} from "@gantry/sdk";
import { pluginErrors } from "../plugins/errors.ts";
import { fillCure } from "../plugins/order.ts";
import type { Redaction } from "../record/redaction.ts";
import type { CallDeps, CallRequest } from "./call.ts";
import { conversationOf } from "./turn-context.ts";

type AskDeps = Pick<CallDeps, "registry" | "approvals" | "audit" | "forOwner">;

/**
 * Has a tool's question put to the person of its call, redacted, and waits. Who asked what, and
 * what came of it, is recorded, never the words that were given. Throws TOOL_BAD_QUESTION,
 * REDACTION_FAILED, and SLOT_EMPTY if no plugin puts questions.
 */
export async function askWords(
  { registry, approvals, audit, forOwner }: AskDeps,
  request: CallRequest & Required<Pick<CallRequest, "until">>,
  { tool, user }: ToolCall,
  wanted: WordsWanted,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const questions = registry.get(ToolQuestions);
  if (!questions?.ask)
    throw pluginErrors.SLOT_EMPTY("host", ToolQuestions.id, await fillCure(registry, ToolQuestions));
  let shown = {};
  const show = (question: ToolQuestion): void => {
    const { text, url } = question;
    shown = { text, ...(url !== undefined && { url }) };
    request.onEvent?.({ type: "tool_question", question });
  };
  const session = conversationOf(request);
  const isInChannel = registry.get(Channels)?.has(user.split(":", 1)[0] as string) === true;
  const clean = await cleaned(wanted, request.turn?.redaction ?? forOwner);
  // A question that outlived its tool would take an answer that nobody hears.
  const waitMs = Math.min(approvals.waitMs, request.until - performance.now());
  const asked = { ...clean, tool, user, session, isInChannel, waitMs };
  const { id, answer } = await questions.ask(asked, show, signal);
  request.onEvent?.({ type: "tool_question_done", id, action: answer.action });
  await audit.record({
    event_type: "tool_question",
    tool,
    args: shown,
    result: answer.action === "cancel" ? "cancel" : `${answer.action} by ${user}`,
    user,
    session_id: request.session,
  });
  return answer;
}

/** Returns a question without what its person is not shown, also not in its address and form. */
async function cleaned(wanted: WordsWanted, redaction: Redaction): Promise<WordsWanted> {
  const parts = Object.entries(wanted ?? {}).map(
    async ([name, part]) => [name, await redaction.value<unknown>(part)] as const,
  );
  return Object.fromEntries(await Promise.all(parts)) as unknown as WordsWanted;
}
