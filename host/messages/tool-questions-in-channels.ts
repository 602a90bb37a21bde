import { laneOf, userOf } from "@gantry/sdk/fill";
import {
  textOf,
  ToolQuestions,
  toolQuestionText,
  verbatimParts,
  type InboundMessage,
  type Logger,
  type ToolQuestion,
} from "@gantry/sdk";
import type { Registry } from "../plugins/registry.ts";
import { reply } from "./approvals-in-channels.ts";
import type { Delivery } from "./delivery.ts";
import { needsQuestionId, shortIdLength } from "./question-ids.ts";

interface Deps {
  readonly delivery: Delivery;
  readonly registry: Registry;
  readonly log: Logger;
}

/** Puts a tool's question where it came up; one that cannot be put is cancelled at once. */
export async function putToolQuestion(
  { delivery, registry, log }: Deps,
  message: InboundMessage,
  question: ToolQuestion,
  signal: AbortSignal,
): Promise<void> {
  const { id, user, session, tool } = question;
  const short = id.slice(0, shortIdLength);
  const ways = `Answer here, or with "${short} …", "${short} decline", "${short} cancel".`;
  const parts = verbatimParts(`${toolQuestionText(question)}\n${ways}`);
  const sent = await delivery.say(message, parts, id, signal);
  if (sent.status === "sent") return;
  log.warn({ lane: session, tool }, `A tool's question was not put: ${sent.reason}`);
  await registry.get(ToolQuestions)?.answer(id, { action: "cancel" }, { user, conversation: session });
}

/** True if the message answered a tool's question and is used up. */
export async function answersTool(deps: Deps, message: InboundMessage): Promise<boolean> {
  const taken = await deps.registry.get(ToolQuestions)?.take?.({
    message: `${message.channel} ${message.id}`,
    text: textOf(message.parts.filter(({ type }) => type === "text")),
    by: { user: userOf(message), conversation: laneOf(message), trust: message.trust },
    at: message.timestamp,
    needsId: needsQuestionId(deps.registry, message),
  });
  if (taken?.reply !== undefined) void reply(deps, message, taken.reply);
  return taken !== undefined;
}
