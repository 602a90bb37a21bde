import { createHash } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const LETTERS_PER_TOKEN = 4;
/**
 * As the vendors bill: a token from the cache, and in the messages format one that is put there.
 */
const READ = 0.1;
const WRITE = 1.25;
/** Shorter beginnings are not cached; longer ones in steps (chat completions). */
const LEAST = 1_024;
const STEP = 128;
/** The number of blocks before a mark that are compared (messages). */
const LOOK_BACK = 20;

interface Bill {
  /** In tokens at full price. */
  readonly billed: number;
  /** The same, had every request begun with the one before it, whole and cached. */
  readonly ideal: number;
  /** Bytes of all bodies. */
  readonly bytes: number;
  readonly requests: number;
}

interface CachingServer extends AsyncDisposable {
  /** `http://127.0.0.1:port`, for both formats. */
  readonly url: string;
  bill(): Bill;
}

interface Block {
  readonly text: string;
  readonly isMarked: boolean;
}

interface Body {
  readonly tools?: readonly object[];
  readonly system?: unknown;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

/**
 * A model behind a cache of prompts that bills as the vendors do: chat completions by the longest
 * beginning that it has seen, messages by the blocks that are marked. It reads the file that the
 * person names (`read a.txt`), else answers `Done.`.
 */
export async function cachingServer(): Promise<CachingServer> {
  const bodies: string[] = [];
  const seen: string[] = [];
  const written = new Set<string>();
  let [billed, ideal, before] = [0, 0, 0];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    request.on("end", () => {
      if (request.method !== "POST") return void response.writeHead(404).end();
      bodies.push(text);
      const body = JSON.parse(text) as Body;
      const isMessages = request.url?.endsWith("/messages") === true;
      const tokens = tokensIn(blocksOf(body));
      billed += isMessages ? byMarks(blocksOf(body), written) : byBeginning(blocksOf(body), seen);
      ideal += Math.min(before, tokens) * READ + Math.max(0, tokens - before) * (isMessages ? WRITE : 1);
      before = tokens;
      answer(response, body, isMessages, bodies.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bill: () => ({
      billed,
      ideal,
      bytes: bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0),
      requests: bodies.length,
    }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function tokensIn(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { text }) => sum + text.length, 0) / LETTERS_PER_TOKEN;
}

/** Tools, system and messages, in the order in which they are cached. */
function blocksOf({ tools = [], system = [], messages }: Body): readonly Block[] {
  const contents = messages.flatMap(({ role, content, ...more }) =>
    listOf(content).map((block) => ({ role, ...more, ...block })),
  );
  return [...tools, ...listOf(system), ...contents].map((block) => {
    const { cache_control: mark, ...rest } = block as { cache_control?: unknown };
    return { text: JSON.stringify(rest), isMarked: mark !== undefined };
  });
}

function listOf(content: unknown): readonly object[] {
  return Array.isArray(content) ? (content as object[]) : [{ type: "text", text: content }];
}

function byBeginning(blocks: readonly Block[], seen: string[]): number {
  const text = blocks.map((block) => block.text).join("");
  const common = Math.max(0, ...seen.map((other) => commonLength(other, text))) / LETTERS_PER_TOKEN;
  const cached = common < LEAST ? 0 : common - (common % STEP);
  seen.push(text);
  return text.length / LETTERS_PER_TOKEN - cached * (1 - READ);
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

function byMarks(blocks: readonly Block[], written: Set<string>): number {
  const hash = createHash("sha256");
  const names = blocks.map(({ text }) => hash.update(text).copy().digest("hex"));
  const marks = blocks.flatMap(({ isMarked }, i) =>
    isMarked && tokensIn(blocks.slice(0, i + 1)) >= LEAST ? [i] : [],
  );
  let read = 0;
  for (const mark of marks) {
    for (let i = mark; i >= 0 && i > mark - LOOK_BACK; i -= 1)
      if (written.has(names[i] as string)) read = Math.max(read, i + 1);
  }
  const put = Math.max(read, (marks.at(-1) ?? -1) + 1);
  for (const mark of marks) written.add(names[mark] as string);
  const price = (from: number, to: number): number => tokensIn(blocks.slice(from, to));
  return price(0, read) * READ + price(read, put) * WRITE + price(put, blocks.length);
}

function answer(response: ServerResponse, { messages }: Body, isMessages: boolean, count: number): void {
  const { role, content } = messages.at(-1) as Body["messages"][number];
  const said = role === "user" ? JSON.stringify(content) : "";
  const file = said.includes("tool_result") ? undefined : /read (\S+\.txt)/.exec(said)?.[1];
  const id = `call_${count}`;
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(isMessages ? inMessages(id, file) : inChat(id, file)));
}

function inChat(id: string, path: string | undefined): object {
  if (path === undefined)
    return { choices: [{ message: { role: "assistant", content: "Done." }, finish_reason: "stop" }] };
  const call = {
    id,
    type: "function",
    function: { name: "file_read", arguments: JSON.stringify({ path }) },
  };
  const message = { role: "assistant", content: null, tool_calls: [call] };
  return { choices: [{ message, finish_reason: "tool_calls" }] };
}

function inMessages(id: string, path: string | undefined): object {
  const head = { type: "message", role: "assistant" };
  if (path === undefined)
    return { ...head, content: [{ type: "text", text: "Done." }], stop_reason: "end_turn" };
  const call = { type: "tool_use", id, name: "file_read", input: { path } };
  return { ...head, content: [call], stop_reason: "tool_use" };
}
