import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Message {
  readonly role: string;
  readonly content: string | null;
}

/**
 * A chat-completions server whose model takes so many tokens and no more: a request that is longer
 * is refused in its words.
 */
export interface WindowServer extends AsyncDisposable {
  readonly provider: string;
  /** The bodies that were taken, whole as they came. */
  readonly taken: readonly string[];
  readonly refused: readonly string[];
  /** Returns the number of requests for the list of models. */
  listed(): number;
}

const LETTERS_PER_TOKEN = 4;

/**
 * Reads the file that the person names (`read big-3.txt`), sums up what it is told to write down,
 * answers `Done.` to all else. `says` is how a refusal reads; by default it names the window.
 */
export async function windowServer(
  window: number,
  says: (tokens: number) => string = (tokens) =>
    `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens.`,
  models?: readonly object[],
  /** Before a summary is sent. */
  onSummary: () => void = () => {},
): Promise<WindowServer> {
  const taken: string[] = [];
  const refused: string[] = [];
  let listed = 0;
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      if (request.method !== "POST") {
        listed += 1;
        return void response.writeHead(models ? 200 : 404).end(JSON.stringify({ data: models ?? [] }));
      }
      const tokens = Math.ceil(body.length / LETTERS_PER_TOKEN);
      (tokens > window ? refused : taken).push(body);
      if (tokens > window) refuse(response, says(tokens));
      else
        answer(response, (JSON.parse(body) as { messages: readonly Message[] }).messages, tokens, onSummary);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    provider: `custom:http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    taken,
    refused,
    listed: () => listed,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function refuse(response: ServerResponse, message: string): void {
  response.writeHead(400, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { message, code: "context_length_exceeded" } }));
}

function answer(
  response: ServerResponse,
  messages: readonly Message[],
  tokens: number,
  onSummary: () => void,
): void {
  const { role, content } = messages.at(-1) as Message;
  const file = role === "user" ? /read (\S+\.txt)$/.exec(content ?? "")?.[1] : undefined;
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (piece: object): void => void response.write(`data: ${JSON.stringify(piece)}\n\n`);
  const delta = (value: object, finish: string | null): void =>
    send({ choices: [{ index: 0, delta: value, finish_reason: finish }] });
  if (file !== undefined) {
    const call = { name: "file_read", arguments: JSON.stringify({ path: file }) };
    delta({ tool_calls: [{ index: 0, id: `call_${tokens}`, type: "function", function: call }] }, null);
    delta({}, "tool_calls");
  } else {
    const isSummary = content?.startsWith("Write down what has to be kept") === true;
    if (isSummary) onSummary();
    delta({ content: isSummary ? "They read files; nothing is open." : "Done." }, null);
    delta({}, "stop");
  }
  send({ choices: [], usage: { prompt_tokens: tokens, completion_tokens: 5 } });
  response.end("data: [DONE]\n\n");
}
