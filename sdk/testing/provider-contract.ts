import { Type } from "typebox";
import { textParts } from "../index.ts";
import type { ChatRequest, Part, Provider, ProviderEvent } from "../index.ts";
import { strangeParts } from "./strange-parts.ts";
import { heldNow, mustClear, mustYield } from "./leaks.ts";
import { answerOf, cases, frozen, messageOf, watched, within, wrong } from "./say.ts";
import type { ContractCase } from "./contract-case.ts";

export interface ProviderSubject {
  readonly provider: Provider;
  readonly model?: string;
  /** False if no server answers in this test: an error is then a right answer. Default true. */
  readonly answers?: boolean;
  /** The time in ms that an answer may take in this test; default 5,000. */
  readonly patienceMs?: number;
  /** Credentials that it was given: none of them may show up anywhere. */
  readonly secrets?: readonly string[];
}

const clock = { name: "clock", description: "The time.", input: Type.Object({}) };

function request(
  model: string | undefined,
  signal: AbortSignal,
  tools: ChatRequest["tools"] = [],
  beside: readonly Part[] = [],
): ChatRequest {
  const messages = [
    { role: "system", parts: textParts("Be brief.") },
    { role: "user", parts: [...textParts("hello"), ...beside] },
  ] as const;
  return Object.freeze({
    ...frozen({ model, messages, temperature: 0, session: "contract" }),
    tools,
    signal,
  });
}

/**
 * Returns the duties of every provider, with a server that answers. Register each case with any
 * test runner: `test(name, run)`.
 */
export function providerContract({
  provider,
  model,
  answers = true,
  patienceMs = 5_000,
  secrets = [],
}: ProviderSubject): readonly ContractCase[] {
  const who = `The provider ${provider?.name}`;
  const ask = (signal: AbortSignal, tools?: ChatRequest["tools"]): Promise<readonly ProviderEvent[]> =>
    collect(who, provider, request(model, signal, tools), patienceMs, secrets);
  const never = new AbortController().signal;
  return cases({
    "a provider has a name, three capabilities and chat()": async () => {
      if (typeof provider.name !== "string" || provider.name === "")
        throw wrong(who, "has no name", "give the id that people configure");
      const { nativeToolCalling, vision, streaming } = provider.capabilities ?? {};
      if (![nativeToolCalling, vision, streaming].every((value) => typeof value === "boolean")) {
        throw wrong(
          who,
          "does not state its capabilities",
          "give nativeToolCalling, vision and streaming, each true or false",
        );
      }
      if (typeof provider.chat !== "function")
        throw wrong(who, "has no chat()", "stream the events of one answer from it");
    },
    "a provider answers with whole events and exactly one stop or error, which is the last": async () => {
      const before = heldNow();
      const { answer, blockedMs } = await watched(() => ask(never));
      mustYield(who, blockedMs);
      const last = answer.at(-1);
      if (last?.type === "error" && answers)
        throw wrong(
          who,
          `failed on a simple question (${last.failure.message})`,
          "let the test's server answer it",
        );
      if (last?.type === "stop" && !answer.some(({ type }) => type === "text" || type === "tool_call"))
        throw wrong(who, "said nothing", "give its answer as text events");
      const due = { after: "its answer", cure: "clear its timers when an answer ends" };
      await mustClear(who, before, patienceMs, due);
    },
    "a provider answers a message with a picture that is gone, and with a piece that it does not know":
      async () => {
        await collect(who, provider, request(model, never, [], strangeParts), patienceMs, secrets);
      },
    "a provider answers two requests beside each other": async () => {
      const both = await Promise.all([ask(never), ask(never)]);
      if (answers && both.some((events) => events.at(-1)?.type !== "stop"))
        throw wrong(
          who,
          "fails when it is asked twice at the same time",
          "keep nothing of a request outside chat()",
        );
    },
    "a provider that is cancelled ends soon, and says so as its last event": async () => {
      const events = await collect(who, provider, request(model, AbortSignal.abort()), patienceMs, secrets);
      if (events.at(-1)?.type === "stop" && events.some(({ type }) => type === "text"))
        throw wrong(who, "answered although it was cancelled before", "look at request.signal");
      const stop = new AbortController();
      const left = collect(who, provider, request(model, stop.signal), patienceMs, secrets);
      setImmediate(() => stop.abort());
      await left;
    },
    "a provider may be left in the middle of an answer": async () => {
      const late = wrong(
        who,
        `went on for more than ${patienceMs} ms after its reader left`,
        "end what it waits for when the generator is returned",
      );
      await within(patienceMs, late, async () => {
        for await (const _ of provider.chat(request(model, never))) break;
      });
    },
    "a provider without native tool calling refuses tools instead of leaving them out": async () => {
      if (provider.capabilities.nativeToolCalling) return;
      const events = await ask(never, [clock]);
      if (events.at(-1)?.type !== "error")
        throw wrong(
          who,
          "has no native tool calling and took a request with tools",
          "end such a request with an error",
        );
    },
    "a provider's list of models holds names, or why there is none": async () => {
      if (!provider.models) return;
      const known = await provider.models(never).catch((error: { code?: unknown }) => {
        if (typeof error?.code === "string") return [];
        throw wrong(
          who,
          `failed in models() without a code (${messageOf(error)})`,
          "throw a row of an error table",
        );
      });
      if (!Array.isArray(known) || !known.every((name) => typeof name === "string" && name !== ""))
        throw wrong(who, "gave models() that are no list of names", "give the ids as texts");
      if (new Set(known).size !== known.length) throw wrong(who, "lists a model twice", "give each id once");
    },
    "a provider names the source of its credential and never the credential": async () => {
      const source = await provider.credential?.();
      if (source !== undefined && typeof source !== "string")
        throw wrong(who, `answered ${typeof source} in credential()`, "give the source as text");
      refuseSecrets(who, source, secrets);
    },
  });
}

async function collect(
  who: string,
  provider: Provider,
  asked: ChatRequest,
  ms: number,
  secrets: readonly string[],
): Promise<readonly ProviderEvent[]> {
  const late = wrong(
    who,
    `did not end its answer in ${ms} ms`,
    "end it by its signal and by time limits of its own",
  );
  const events: ProviderEvent[] = [];
  const cure = "give a failure as the last event, and change nothing of the request";
  const read = async (): Promise<void> => {
    for await (const event of provider.chat(asked)) events.push(event);
  };
  await answerOf(ms, late, read, (error) => wrong(who, `threw into its stream (${error})`, cure));
  const fault = events.map(faultOf).find((found) => found !== undefined);
  if (fault) throw wrong(who, fault, "see ProviderEvent in the sdk");
  const ends = events.filter(({ type }) => type === "stop" || type === "error").length;
  if (ends !== 1) throw wrong(who, `ended its answer ${ends} times`, "give exactly one stop or error");
  if (!["stop", "error"].includes(events.at(-1)?.type ?? ""))
    throw wrong(who, "went on after its stop", "give nothing after stop or error");
  refuseSecrets(who, JSON.stringify(events), secrets);
  return events;
}

const reasons = new Set(["EndTurn", "MaxTokens", "ContentFilter", "ToolUse", "Error"]);

const text = (value: unknown): boolean => typeof value === "string";
const count = (value: number): boolean => Number.isInteger(value) && value >= 0;

function faultOf(event: ProviderEvent): string | undefined {
  switch (event?.type) {
    case "text":
      return text(event.text) ? undefined : "gave a text event without text";
    case "tool_call": {
      const { id, name, args } = event.call ?? {};
      return text(id) && text(name) && text(args)
        ? undefined
        : "gave a tool_call whose id, name and args are not all texts";
    }
    case "usage":
      return [
        event.inputTokens,
        event.outputTokens,
        event.cachedTokens ?? 0,
        event.reasoningTokens ?? 0,
      ].every(count)
        ? undefined
        : "gave a usage that does not count tokens";
    case "stop":
      return reasons.has(event.reason) ? undefined : `stopped for the unknown reason ${String(event.reason)}`;
    case "error": {
      const { code, message, retry } = event.failure ?? {};
      return text(code) && text(message) && typeof retry === "boolean"
        ? undefined
        : "gave a failure without code, message and retry";
    }
    default:
      return `gave an event of the unknown type ${String((event as { type?: unknown } | undefined)?.type)}`;
  }
}

function refuseSecrets(who: string, said: string | undefined, secrets: readonly string[]): void {
  if (secrets.some((secret) => said?.includes(secret)))
    throw wrong(who, "showed its credential", "name the source and take credentials out of every sentence");
}
