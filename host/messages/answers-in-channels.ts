import { laneOf, userOf } from "@gantry/sdk/fill";
import { textOf, toolQuestionText, verbatimParts } from "@gantry/sdk";
import type { InboundMessage, Logger, ToolQuestion } from "@gantry/sdk";
import type { Registry } from "../plugins/registry.ts";
import type { ToolQuestions } from "../tools/tool-questions.ts";
import type { Delivery } from "./delivery.ts";
import { isOlder, needsQuestionId, shortIdLength } from "./question-ids.ts";

interface Deps {
  readonly delivery: Delivery;
  readonly questions: ToolQuestions;
  readonly registry: Registry;
  readonly log: Logger;
}

const named = /^\s*([0-9a-f]{6})\b[\s:]*([^]*)$/i;
const no = /^\s*(decline|cancel)[\s.!]*$/i;

/** Puts a tool's question into the conversation that it came up in; one that cannot be put is cancelled at once. */
export async function putToolQuestion(
  { delivery, questions, log }: Pick<Deps, "delivery" | "questions" | "log">,
  message: InboundMessage,
  question: ToolQuestion,
  signal: AbortSignal,
): Promise<void> {
  const short = question.id.slice(0, shortIdLength);
  const ways = `Answer here, or with "${short} …", "${short} decline", "${short} cancel".`;
  const parts = verbatimParts(`${toolQuestionText(question)}\n${ways}`);
  const sent = await delivery.say(message, parts, question.id, signal);
  if (sent.status === "sent") return;
  log.warn({ lane: laneOf(message), tool: question.tool }, `A tool's question was not put: ${sent.reason}`);
  questions.undelivered(question.id);
}

/**
 * True if the message answered a tool's question and is used up: it was written by the person who was asked, there, after it
 * was asked, and with its id where a bare word decides nothing.
 */
export async function answerInChannel(deps: Deps, message: InboundMessage): Promise<boolean> {
  const { questions, registry } = deps;
  const by = { user: userOf(message), conversation: laneOf(message), trust: message.trust };
  const key = `${message.channel} ${message.id}`;
  if (questions.hasRead(key)) return true;
  const here = questions.pending(by);
  const said = textOf(message.parts.filter(({ type }) => type === "text"));
  if (here.length === 0 || said.trim() === "") return false;

  const [, short = "", rest = ""] = named.exec(said) ?? [];
  const meant = here.find(({ id }) => short !== "" && id.startsWith(short.toLowerCase()));
  const [only] = here as [ToolQuestion];
  const isBare = here.length === 1 && !needsQuestionId(registry, message);
  const question =
    meant ??
    (isBare && !isOlder(message, { delivered: { at: Date.parse(only.expires) - questions.waitMs } })
      ? only
      : undefined);
  if (!question) return false;

  const words = meant ? rest : said;
  const action = no.exec(words)?.[1]?.toLowerCase() as "decline" | "cancel" | undefined;
  const answered = await questions.answer(question.id, action ? { action } : words, by);
  if (answered.outcome === "wrong") await tell(deps, message, answered.reason);
  const isUsed = answered.outcome === "done" || answered.outcome === "wrong";
  if (isUsed) questions.reads(key);
  return isUsed;
}

async function tell({ delivery, log }: Deps, message: InboundMessage, text: string): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  const sent = await delivery.say(message, verbatimParts(text), `${message.id}-reply`, signal);
  if (sent.status !== "sent")
    log.warn({ lane: laneOf(message) }, `An answer about a question was not sent: ${sent.reason}`);
}
