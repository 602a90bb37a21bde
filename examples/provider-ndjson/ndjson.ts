import { textOf, errors } from "@gantry/sdk";
import {
  answerFailure,
  beginningOf,
  cutAnswer,
  failure,
  streamAnswer,
  type AnswerReader,
} from "@gantry/sdk/provider";
import type { ChatRequest, Provider, ProviderEvent, Upstream } from "@gantry/sdk";

interface Line {
  readonly message?: { readonly content?: string };
  readonly done?: boolean;
  readonly done_reason?: string;
  readonly prompt_eval_count?: number;
  readonly eval_count?: number;
}

/** Pure: lines of JSON to events. */
function reader(): AnswerReader & { over: boolean } {
  const take = (value: unknown): readonly ProviderEvent[] => {
    const { message, done, done_reason, prompt_eval_count = 0, eval_count = 0 } = value as Line;
    const text: readonly ProviderEvent[] = message?.content ? [{ type: "text", text: message.content }] : [];
    if (!done) return text;
    self.over = true;
    const usage = { type: "usage", inputTokens: prompt_eval_count, outputTokens: eval_count } as const;
    return [...text, usage, { type: "stop", reason: done_reason === "length" ? "MaxTokens" : "EndTurn" }];
  };
  const self = { take, end: () => [cutAnswer("ndjson")], closing: false, over: false };
  return self;
}

async function* values(body: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim()) yield JSON.parse(line);
  }
}

export function ndjson(upstream: Upstream, url: string): Provider {
  const send = async (request: ChatRequest, signal: AbortSignal) => {
    if (request.tools.length > 0)
      return failure(errors.PROVIDER_REQUEST("ndjson", 400, "it takes no tools."), false);
    const messages = request.messages.map(({ role, parts }) => ({ role, content: textOf(parts) }));
    const body = JSON.stringify({
      model: request.model,
      messages,
      stream: true,
      options: { temperature: request.temperature },
    });
    const answer = await upstream.fetch({ url: `${url}/api/chat`, method: "POST", body, signal });
    if (answer.status === 200) return answer;
    return answerFailure({
      provider: "ndjson",
      model: request.model,
      status: answer.status,
      body: await beginningOf(answer),
    });
  };
  return {
    name: "ndjson",
    capabilities: { nativeToolCalling: false, vision: false, streaming: true },
    chat: (request) =>
      streamAnswer({
        provider: "ndjson",
        timeoutMs: 120_000,
        signal: request.signal,
        reader: reader(),
        values,
        send: (signal) => send(request, signal),
      }),
  };
}
