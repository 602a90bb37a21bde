import { isWholeConversation, type Budget } from "../../fill.ts";
import {
  textParts,
  type ChatMessage,
  type FittedHistory,
  type History,
  type HistoryRequest,
  type PromptPart,
  type PromptScene,
} from "../../index.ts";
import type { ContractCase } from "../contract-case.ts";
import { cases, frozen, wrong } from "../say.ts";
import { strangeParts } from "../strange-parts.ts";
import { answered, kindOf } from "./answered.ts";

const began = Date.UTC(2030, 0, 1);
const scenes: readonly PromptScene[] = [
  { session: "cli:test", user: "cli:test", trust: "owner", conversation: "direct", workspace: "/", began },
  {
    session: "chat:room",
    user: "chat:ada",
    trust: "guest",
    conversation: "group",
    workspace: "/",
    began,
    agent: "helper",
  },
];

/** Returns the duties of every part of the system prompt. */
export function promptCases(part: PromptPart, patienceMs: number): readonly ContractCase[] {
  const who = `The part ${part.name} of the prompt`;
  const cure = "give text, or nothing where there is nothing to say";
  const textIn = async (member: string, work: () => unknown): Promise<string | undefined> => {
    const text = await answered(who, `${member}()`, patienceMs, cure, work);
    if (text === undefined || typeof text === "string") return text;
    throw wrong(who, `answered ${kindOf(text)} in ${member}()`, cure);
  };
  return cases({
    "a part of the prompt is the same text for the same scene": async () => {
      for (const scene of scenes) {
        const text = (): Promise<string | undefined> =>
          textIn("text", () => part.text(frozen(structuredClone(scene))));
        if ((await text()) !== (await text()))
          throw wrong(
            who,
            "says something else for the same scene",
            "leave out clocks, random and unsorted lists, each of which costs the provider's cache",
          );
      }
    },
    "a part of the prompt notes text or nothing": async () => {
      for (const scene of scenes)
        for (const last of [undefined, began])
          await textIn("note", () => part.note?.(frozen({ ...scene, now: began + 1_000, last })));
    },
  });
}

const turn = (id: string): readonly ChatMessage[] => [
  { role: "user", parts: [...textParts(`question ${id} ${"x".repeat(2_000)}`), ...strangeParts], at: began },
  { role: "assistant", parts: [], toolCalls: [{ id, name: "shell", args: "{}" }] },
  {
    role: "tool",
    callId: id,
    name: "shell",
    parts: [...textParts("y".repeat(2_000)), ...strangeParts],
    failed: false,
  },
  { role: "assistant", parts: textParts("answer"), toolCalls: [] },
];

/**
 * Returns the duties of every history: whatever it leaves out, a call keeps its result and the
 * question stays.
 */
export function historyCases(history: History, patienceMs: number): readonly ContractCase[] {
  const who = "Its history";
  const cure = "answer { earlier, current }, or nothing where it stays as it is";
  const fit = async (reason: HistoryRequest["reason"], turns: number): Promise<void> => {
    const earlier = Array.from({ length: turns }, (_, i) => turn(`call-${i}`)).flat();
    const request: HistoryRequest = {
      session: "cli:test",
      user: "cli:test",
      reason,
      earlier: frozen(earlier),
      current: frozen(turn("now").slice(0, 3)),
      sent: earlier.length,
      overhead: 1_000,
      model: { provider: undefined, model: undefined },
      mostTurns: 5,
      failure:
        reason === "overflow" ? { code: "PROVIDER_TOO_LONG", message: "too long", retry: false } : undefined,
      signal: AbortSignal.timeout(patienceMs),
      complete: async () => "what was said before",
    };
    const fitted = await answered(who, `fit() at ${reason}`, patienceMs, cure, () =>
      history.fit(Object.freeze(request)),
    );
    if (fitted === undefined) return;
    const { earlier: before, current } = Object(fitted) as Partial<FittedHistory>;
    if (!Array.isArray(before) || !Array.isArray(current))
      throw wrong(who, `answered ${kindOf(fitted)} without both lists in fit() at ${reason}`, cure);
    if (!isWholeConversation([...before, ...current]))
      throw wrong(
        who,
        `gave back a call without its result in fit() at ${reason}`,
        "leave out both or none of them",
      );
    if (!current.some(({ role }) => role === "user"))
      throw wrong(
        who,
        `left out what the person asks in fit() at ${reason}`,
        "keep the first message of current",
      );
  };
  return cases({
    "a history leaves each call its result, and the question its place": async () => {
      for (const reason of ["request", "overflow", "asked"] as const)
        for (const turns of [0, 1, 40]) await fit(reason, turns);
    },
  });
}

/** Returns the duties of every budget. */
export function budgetCases(budget: Budget, patienceMs: number): readonly ContractCase[] {
  const who = "Its budget";
  const cure = "answer refuse(), ask() or nothing";
  return cases({
    "a budget answers a refusal, a question or nothing": async () => {
      for (const model of [undefined, "some-model"]) {
        const request = Object.freeze({ session: "cli:test", user: "cli:test", model });
        const verdict = await answered(who, "check()", patienceMs, cure, () => budget.check(request));
        if (verdict === undefined) continue;
        const { verdict: word, code, reason, until } = Object(verdict) as Record<string, unknown>;
        if ((word !== "refuse" && word !== "ask") || !code || !reason)
          throw wrong(who, `answered ${kindOf(verdict)} in check(), and there is no way to allow`, cure);
        if (until !== undefined && !(Number.isFinite(until) && (until as number) > 1e11))
          throw wrong(
            who,
            `answered until: ${JSON.stringify(until)} in check()`,
            "give Unix time in milliseconds",
          );
      }
    },
  });
}
