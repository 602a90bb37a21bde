import http from "node:http";
import type { AddressInfo } from "node:net";

function piece(delta: object, finish: string | null): string {
  return `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
}

/** A chat-completions server on loopback that says `hello` after `delayMs`. */
export async function startModelServer(
  delayMs: number = 0,
): Promise<{ readonly url: string; close(): void }> {
  const server = http.createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      setTimeout(() => {
        response.setHeader("content-type", "text/event-stream");
        response.write(piece({ role: "assistant", content: "hello" }, null));
        response.write(piece({}, "stop"));
        response.end(
          `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 1 } })}\n\ndata: [DONE]\n\n`,
        );
      }, delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () => server.close(),
  };
}
