import type { AnswerOutcome, Decider, SaidInChat } from "@gantry/sdk/fill";
import type { Said, ToolQuestion } from "@gantry/sdk";

interface Asked {
  readonly question: ToolQuestion;
  /** Unix ms. */
  readonly asked: number;
}

interface Questions {
  answerable(by: Decider): readonly Asked[];
  answer(id: string, said: Said, by: Decider): Promise<AnswerOutcome>;
}

const named = /^\s*([0-9a-f]{6})\b[\s:]*([^]*)$/i;
const no = /^\s*(decline|cancel)[\s.!]*$/i;

/**
 * Takes a tool's answer from what was written in a chat; undefined if it is none. It is one if the
 * person who was asked wrote it, there, after it was asked, and with its id where that is needed.
 */
export async function answerInChat(
  { answerable, answer }: Questions,
  { text, by, at, needsId }: SaidInChat,
): Promise<{ readonly reply?: string } | undefined> {
  const here = answerable(by);
  if (here.length === 0 || text.trim() === "") return undefined;

  const [, short = "", rest = ""] = named.exec(text) ?? [];
  const isNamed = ({ question: { id } }: Asked): boolean => id.startsWith(short.toLowerCase());
  const meant = short === "" ? undefined : here.find(isNamed);
  const [only] = here as [Asked];
  const isBare = here.length === 1 && !needsId && at >= Math.floor(only.asked / 1_000);
  const { question } = meant ?? (isBare ? only : {});
  if (!question) return undefined;

  const words = meant ? rest : text;
  const action = no.exec(words)?.[1]?.toLowerCase() as "decline" | "cancel" | undefined;
  const answered = await answer(question.id, action ? { action } : words, by);
  if (answered.outcome === "wrong") return { reply: answered.reason };
  return answered.outcome === "done" ? {} : undefined;
}
