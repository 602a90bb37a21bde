import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One answer of the model server: text, tool calls, or whatever `raw` does with the response. */
export type Answer =
  | string
  | { readonly calls: readonly { readonly name: string; readonly args: object }[] }
  | { readonly raw: (response: ServerResponse) => void };

export interface ModelServer extends AsyncDisposable {
  /** `custom:http://127.0.0.1:<port>/v1` */
  readonly provider: string;
  /** The bodies of all requests, parsed. */
  readonly requests: readonly {
    readonly model: string;
    readonly messages: readonly { role: string; content: string }[];
  }[];
  /** Their headers. */
  readonly headers: readonly IncomingHttpHeaders[];
  /** Resolves once so many requests have come. */
  asked(count: number): Promise<void>;
  /** Resolves once a client has left before its answer was whole. */
  readonly left: Promise<void>;
}

/**
 * A chat-completions server on loopback that streams these answers in turn, the last one again and
 * again.
 */
export async function startModel(...script: readonly Answer[]): Promise<ModelServer> {
  const requests: ModelServer["requests"][number][] = [];
  const headers: IncomingHttpHeaders[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      // Some look at the list of models first; there is none.
      if (request.method !== "POST") return void response.writeHead(404).end();
      // A client that left in the middle has asked for nothing.
      if (!request.complete) return;
      requests.push(JSON.parse(body));
      headers.push(request.headers);
      response.on("close", () => response.writableFinished || leave());
      for (const waiter of waiting) if (requests.length >= waiter.count) waiter.resolve();
      reply(response, script[Math.min(requests.length, script.length) - 1] ?? "");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    provider: `custom:http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    headers,
    left,
    asked: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers a request as a stream. */
export function reply(response: ServerResponse, answer: Answer): void {
  if (typeof answer === "object" && "raw" in answer) return answer.raw(response);
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (typeof answer === "string") {
    for (const piece of answer.match(/\S+\s*/g) ?? []) response.write(chunk({ content: piece }));
    response.write(chunk({}, "stop"));
  } else {
    const calls = answer.calls.map(({ name, args }, index) => ({
      index,
      id: `call_${index}`,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    }));
    response.write(chunk({ tool_calls: calls }));
    response.write(chunk({}, "tool_calls"));
  }
  response.write(
    `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } })}\n\n`,
  );
  response.end("data: [DONE]\n\n");
}

/** One server-sent piece of a streamed answer. */
export function chunk(delta: object, finish: string | null = null): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
}
