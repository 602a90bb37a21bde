import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { SendingEnds, Told } from "@gantry/sdk/testing";

export const token = "123456:a-token-of-the-tests";
export const group = -7;

interface Sent {
  readonly chat_id: number;
  readonly text: string;
  readonly message_thread_id?: number;
  readonly reply_markup?: {
    readonly inline_keyboard: readonly (readonly { text: string; callback_data: string }[])[];
  };
}

/**
 * A platform of bots on loopback: updates by long polling until an offset confirms them, messages,
 * buttons, refusals.
 */
export class FakePlatform implements AsyncDisposable {
  readonly sent: Sent[] = [];
  readonly settled: string[] = [];
  readonly notices = new Map<string, string>();
  readonly failures: SendingEnds[] = [];
  typed = 0;
  confirmed = 0;
  #updates: { readonly update_id: number }[] = [];
  #last = 0;
  readonly #waiting = new Set<() => void>();
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  static async start(): Promise<FakePlatform> {
    const platform = new FakePlatform();
    await new Promise<void>((resolve) => platform.#server.listen(0, "127.0.0.1", resolve));
    return platform;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Hands an update to whoever polls; gives its number. */
  push(update: object): number {
    this.#last += 1;
    this.#updates.push({ update_id: this.#last, ...update });
    this.#tell();
    return this.#last;
  }

  told(): readonly Told[] {
    return this.sent.map(({ chat_id, text, message_thread_id: thread, reply_markup }) => ({
      text,
      ...(chat_id === group ? { place: "group" } : { place: "direct", to: String(chat_id) }),
      ...(thread !== undefined && { thread: String(thread) }),
      ...(reply_markup && { buttons: reply_markup.inline_keyboard.flat().map((button) => button.text) }),
    }));
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #tell(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const [, bot, method = ""] = (request.url ?? "").split("/");
    const body = JSON.parse(Buffer.concat(pieces).toString());
    const { status, ...answer } =
      bot === `bot${token}` ? await this.#answer(method, body) : refusal({ how: "account" });
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
    this.#tell();
  }

  async #answer(method: string, body: Sent & Record<string, never>): Promise<Answer> {
    const failure = method === "sendMessage" ? this.failures.shift() : undefined;
    if (failure) return refusal(failure);
    if (method === "getMe") return given({ username: "gantry_bot" });
    if (method === "getUpdates") return given(await this.#poll(body["offset"]!));
    if (method === "sendChatAction") this.typed += 1;
    if (method === "answerCallbackQuery") this.notices.set(body["callback_query_id"]!, body.text);
    if (method === "editMessageText") this.settled.push(body.text);
    if (method !== "sendMessage") return given(true);
    return given({ message_id: this.sent.push(body), date: 1, chat: { id: body.chat_id, type: "any" } });
  }

  async #poll(offset: number): Promise<readonly object[]> {
    this.confirmed += this.#updates.filter(({ update_id }) => update_id < offset).length;
    this.#updates = this.#updates.filter(({ update_id }) => update_id >= offset);
    this.#tell();
    await this.until(() => this.#updates.length > 0);
    return this.#updates;
  }
}

interface Answer {
  readonly status: number;
  readonly ok: boolean;
}

function given(result: unknown): Answer & { readonly result: unknown } {
  return { status: 200, ok: true, result };
}

function refusal(
  ending: SendingEnds,
): Answer & { readonly description: string; readonly parameters?: object } {
  if (ending.how === "account") return { status: 401, ok: false, description: `Unauthorized ${token}` };
  if (ending.how !== "rate") return { status: 400, ok: false, description: "Bad Request" };
  const parameters = { retry_after: ending.afterMs / 1_000 };
  return { status: 429, ok: false, description: "Too Many Requests", parameters };
}
