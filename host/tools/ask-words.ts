import type { ToolAnswer, ToolCall, WordsWanted } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { printable } from "../record/printable.ts";
import type { CallDeps, CallRequest } from "./call.ts";
import { conversationOf } from "./turn-context.ts";

/**
 * Puts a tool's question to the person of its call and waits. Who asked what, and what came of it, is recorded, never the
 * words that were given. Throws TOOL_BAD_QUESTION.
 */
export async function askWords(
  { questions, audit }: Pick<CallDeps, "questions" | "audit">,
  request: CallRequest,
  { tool, user }: ToolCall,
  wanted: WordsWanted,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const { wrongQuestion } = await import("./words-given.ts");
  const wrong = wrongQuestion(wanted);
  if (wrong !== undefined) throw errors.TOOL_BAD_QUESTION(tool, wrong);
  const { text, url, form } = wanted;
  const session = conversationOf(request);
  const shown = { text: printable(text), ...(url !== undefined && { url: printable(new URL(url).href) }) };
  const asked = { ...shown, ...(form && { form: structuredClone(form) }), session, user, tool };
  const announce = (question: Parameters<Parameters<typeof questions.ask>[1]>[0]): void =>
    request.onEvent?.({ type: "tool_question", question });
  const { id, answer } = await questions.ask(asked, announce, signal);
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
