import {
  definePlugin,
  type ChatRequest,
  type Plugin,
  type Provider,
  type ProviderEvent,
  type ProviderFailure,
  type StopReason,
} from "../index.ts";

/** One answer of the fake model. */
export type FakeAnswer =
  | string
  | {
      readonly text?: string;
      /** Its thinking before the text. */
      readonly thoughts?: string;
      readonly calls?: readonly { readonly name: string; readonly args: unknown; readonly id?: string }[];
      readonly failure?: ProviderFailure;
      readonly stop?: StopReason;
      /** False: it tells no tokens, as many servers do not. */
      readonly usage?: false;
      /** Resolves before the answer begins. */
      readonly after?: Promise<unknown>;
    };
export type FakeScript = readonly (FakeAnswer | ((request: ChatRequest) => FakeAnswer))[];

export interface FakeProvider extends Plugin {
  /** Every request, as it came. */
  readonly requests: readonly ChatRequest[];
}

/**
 * Makes a model that gives these answers in turn, the last one again and again. It serves `fake`
 * and whatever is wanted if nothing is configured.
 */
export function fakeProvider(
  script: FakeScript,
  options: { readonly name?: string; readonly nativeToolCalling?: boolean } = {},
): FakeProvider {
  const requests: ChatRequest[] = [];
  const name = options.name ?? "fake";
  const provider: Provider = {
    name,
    capabilities: { nativeToolCalling: options.nativeToolCalling ?? true, vision: false, streaming: true },
    async *chat(request) {
      requests.push(request);
      const step = script[Math.min(requests.length, script.length) - 1] ?? "";
      const answer = typeof step === "function" ? step(request) : step;
      yield* events(typeof answer === "string" ? { text: answer } : answer, requests.length);
    },
    async models() {
      return ["fake-1"];
    },
  };
  const plugin = definePlugin({
    name: `provider-${name}`,
    taps: ["resolveProvider"],
    setup(host) {
      host.hooks.resolveProvider.tap((want) =>
        want.provider === undefined || want.provider === name ? provider : undefined,
      );
    },
  });
  return Object.freeze({ ...plugin, requests });
}

async function* events(answer: Exclude<FakeAnswer, string>, turn: number): AsyncGenerator<ProviderEvent> {
  await answer.after;
  for (const piece of answer.thoughts?.match(/\S+\s*/g) ?? []) yield { type: "thought", text: piece };
  for (const piece of answer.text?.match(/\S+\s*|\s+/g) ?? []) yield { type: "text", text: piece };
  const calls = answer.calls ?? [];
  for (const [i, call] of calls.entries()) {
    const args = typeof call.args === "string" ? call.args : JSON.stringify(call.args);
    yield { type: "tool_call", call: { id: call.id ?? `call_${turn}_${i}`, name: call.name, args } };
  }
  if (answer.failure) return yield { type: "error", failure: answer.failure };
  if (answer.usage !== false) yield { type: "usage", inputTokens: 10, outputTokens: 5 };
  yield { type: "stop", reason: answer.stop ?? (calls.length > 0 ? "ToolUse" : "EndTurn") };
}
