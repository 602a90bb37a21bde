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
import type { CallDeps, CallRequest } from "./call.ts";
import { conversationOf } from "./turn-context.ts";

/**
 * Has a tool's question put to the person of its call and waits. Who asked what, and what came of it, is recorded, never the
 * words that were given. Throws TOOL_BAD_QUESTION, and SLOT_EMPTY if no plugin puts questions.
 */
export async function askWords(
  { registry, approvals, audit }: Pick<CallDeps, "registry" | "approvals" | "audit">,
  request: CallRequest,
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
  const asked = { ...wanted, tool, user, session, isInChannel, waitMs: approvals.waitMs };
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
