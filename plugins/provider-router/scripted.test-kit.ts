import { textParts } from "@gantry/sdk";
import type { ChatRequest, Logger, Provider, ProviderEvent, ProviderFailure, Store } from "@gantry/sdk";
import type { RoutedEvent, ModelRouter } from "@gantry/sdk/fill";
import { Circuits } from "./circuit.ts";
import { createRouter } from "./fallback.ts";
import { TagWords } from "./tag-words.ts";
import type { FallbackConfig } from "./fallback.ts";

export const text = (value: string): ProviderEvent => ({ type: "text", text: value });
export const stop: ProviderEvent = { type: "stop", reason: "EndTurn" };
export const fail = (status: number | undefined, more: Partial<ProviderFailure> = {}): ProviderEvent => ({
  type: "error",
  failure: {
    code: `CODE_${status ?? "NONE"}`,
    message: `It failed with ${status ?? "nothing"}.`,
    retry: true,
    ...(status && { status }),
    ...more,
  },
});

/**
 * A provider that answers its n-th request with the n-th script (the last one again and again), and
 * keeps what it was asked.
 */
export function scripted(
  name: string,
  scripts: readonly (readonly (ProviderEvent | Error | "hang")[])[],
  native = true,
) {
  const asked: ChatRequest[] = [];
  const provider: Provider = {
    name,
    capabilities: { nativeToolCalling: native, vision: false, streaming: true },
    async *chat(request) {
      asked.push(request);
      for (const step of scripts[Math.min(asked.length, scripts.length) - 1] ?? []) {
        if (step instanceof Error) throw step;
        if (step === "hang") await new Promise(() => undefined);
        else yield step;
      }
    },
  };
  return { provider, asked };
}

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export function routed(
  config: { fallbacks?: readonly string[]; providers?: object },
  store?: Store,
  pauses?: { firstMs: number; longestMs: number },
) {
  const logs: LogLine[] = [];
  const line =
    (level: string) =>
    (detail: object, message: string): void =>
      void logs.push({ level, message, detail: detail as LogLine["detail"] });
  const log: Logger = { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };
  const circuits = new Circuits(store, log, pauses && { failures: 5, ...pauses });
  const full = {
    reliability: { fallback_providers: config.fallbacks ?? [] },
    providers: config.providers ?? {},
  } as FallbackConfig;
  return { router: createRouter(full, circuits, log, new TagWords(store)), circuits, logs };
}

export async function run(
  router: ModelRouter,
  providers: readonly Provider[],
  more: Partial<ChatRequest> & { provider?: string } = {},
): Promise<RoutedEvent[]> {
  const { provider, model = "m", ...rest } = more;
  const events: RoutedEvent[] = [];
  const request = {
    messages: [{ role: "user", parts: textParts("hi") } as const],
    tools: [],
    temperature: 0.7,
    session: "s",
    signal: new AbortController().signal,
    ...rest,
  };
  const resolve = async (id: string | undefined) => providers.find(({ name }) => name === id);
  for await (const event of router.chat(
    { provider: provider ?? providers[0]?.name, model },
    request,
    resolve,
  ))
    events.push(event);
  return events;
}

export const words = (events: readonly RoutedEvent[]): string =>
  events.map((event) => (event.type === "text" ? event.text : "")).join("");
