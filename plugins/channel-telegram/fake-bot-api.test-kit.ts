import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { give, paramsOf, refuse } from "./bot-api-http.test-kit.ts";
import { albumOf, checks, maxDownloadBytes, type Params } from "./bot-api-limits.test-kit.ts";

export const token = "123456789:AAtokenofthetestsABCDEFGHIJKLMNOPQRS";

export interface ApiCall {
  readonly method: string;
  readonly params: Params;
  readonly at: number;
  /** It was made to fail. */
  readonly refused?: boolean;
}

/** Another end for the next call of a method. */
export interface Failure {
  readonly method?: string;
  readonly code?: number;
  readonly description?: string;
  readonly parameters?: object;
  /** Only for this chat. */
  readonly chat?: number;
  /** No answer at all; or the connection is cut after the call was done. */
  readonly how?: "silent" | "cut";
}

interface Poll {
  readonly response: ServerResponse;
  readonly params: Params;
  readonly timer: NodeJS.Timeout;
}

/**
 * A strict Bot API on loopback: refuses what the real one refuses, keeps updates until they are
 * confirmed, one poller at a time.
 */
export class FakeBotApi implements AsyncDisposable {
  readonly calls: ApiCall[] = [];
  readonly failures: Failure[] = [];
  readonly files = new Map<string, Uint8Array>();
  /** Not yet confirmed by an offset. */
  updates: Params[] = [];
  webhook = "";
  revoked = false;
  username = "gantry_bot";
  /** Every update that was forgotten because an offset confirmed it. */
  readonly confirmed: number[] = [];
  nextUpdate = 1_000;
  #nextMessage = 5_000;
  #nextPress = 0;
  #poll: Poll | undefined;
  readonly #presses = new Set<string>();
  readonly #texts = new Map<string, string>();
  readonly #waiting = new Set<() => void>();
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  static async start(port: number = 0): Promise<FakeBotApi> {
    const api = new FakeBotApi();
    await new Promise<void>((resolve) => api.#server.listen(port, "127.0.0.1", resolve));
    return api;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#poll?.timer);
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Hands an update to whoever polls. */
  push(update: object): number {
    const update_id = (this.nextUpdate += 1);
    this.updates.push({ update_id, ...update });
    this.#wakePoll();
    return update_id;
  }

  press(press: Params): string {
    const id = `press-${(this.#nextPress += 1)}`;
    this.#presses.add(id);
    this.push({ callback_query: { id, chat_instance: "1", ...press } });
    return id;
  }

  of(method: string): readonly ApiCall[] {
    return this.calls.filter((call) => call.method === method);
  }

  /** Resolves once `seen` is true, looked at after every call. */
  async until(seen: () => boolean): Promise<void> {
    while (!seen())
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
      });
  }

  async sent(count: number): Promise<readonly Params[]> {
    await this.until(() => this.of("sendMessage").length >= count);
    return this.of("sendMessage").map(({ params }) => params);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const [, kind, given = "", rest = ""] = /^\/(file\/)?bot([^/]+)\/(.*)$/.exec(request.url ?? "") ?? [];
    if (kind !== undefined) return this.#file(given, decodeURIComponent(rest), response);
    const method = rest.split("?")[0] as string;
    const params = await paramsOf(request, Buffer.concat(pieces));
    if (!/^\d+:[\w-]{30,}$/.test(given)) return refuse(response, 404, "Not Found");
    if (given !== token || this.revoked)
      return this.#end(method, params, () => refuse(response, 401, "Unauthorized"));
    const at = this.failures.findIndex(
      (failure) =>
        (failure.method ?? method) === method && (failure.chat ?? params["chat_id"]) === params["chat_id"],
    );
    const [failure] = at < 0 ? [] : this.failures.splice(at, 1);
    if (failure && failure.how !== "cut") {
      this.calls.push({ method, params, at: Date.now(), refused: true });
      this.#fail(failure, response);
      return this.#wake();
    }
    if (failure) return this.#end(method, params, () => response.destroy());
    if (method === "getUpdates") return this.#getUpdates(params, response);
    this.#end(method, params, () => this.#answer(method, params, response));
  }

  #end(method: string, params: Params, answer: () => void): void {
    this.calls.push({ method, params, at: Date.now() });
    answer();
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  #fail(
    { how, code = 500, description = "Internal Server Error", parameters }: Failure,
    response: ServerResponse,
  ): void {
    if (how !== "silent") refuse(response, code, description, parameters);
  }

  #answer(method: string, params: Params, response: ServerResponse): void {
    const wrong = checks[method]?.map((check) => check(params)).find((text) => text !== undefined);
    if (wrong !== undefined) return refuse(response, 400, wrong);
    const isNew = /^send(?:Message|Photo|Document|Voice|MediaGroup)$/.test(method);
    const message = {
      message_id: isNew ? (this.#nextMessage += 1) : Number(params["message_id"]),
      date: 1,
      chat: { id: Number(params["chat_id"]), type: "private" },
    };
    const key = `${params["chat_id"]}:${params["message_id"]}`;
    switch (method) {
      case "getMe":
        return give(response, {
          id: Number(token.split(":")[0]),
          is_bot: true,
          first_name: "Gantry",
          username: this.username,
          can_read_all_group_messages: false,
        });
      case "getWebhookInfo":
        return give(response, {
          url: this.webhook,
          has_custom_certificate: false,
          pending_update_count: this.updates.length,
        });
      case "deleteWebhook":
        this.webhook = "";
        return give(response, true);
      case "sendMessage":
        this.#texts.set(`${params["chat_id"]}:${message.message_id}`, params["text"]);
        return give(response, { ...message, text: params["text"] });
      case "sendPhoto":
      case "sendDocument":
      case "sendVoice":
        return give(response, message);
      case "sendMediaGroup":
        return give(
          response,
          albumOf(params).map(() => ({ ...message, message_id: (this.#nextMessage += 1) })),
        );
      case "editMessageText":
        if (this.#texts.get(key) === params["text"])
          return refuse(response, 400, "Bad Request: message is not modified");
        this.#texts.set(key, params["text"]);
        return give(response, message);
      case "editMessageReplyMarkup":
      case "sendChatAction":
        return give(response, true);
      case "answerCallbackQuery":
        return this.#presses.delete(params["callback_query_id"])
          ? give(response, true)
          : refuse(
              response,
              400,
              "Bad Request: query is too old and response timeout expired or query ID is invalid",
            );
      case "getFile":
        return this.#getFile(params["file_id"], response);
      default:
        return refuse(response, 404, "Not Found: method not found");
    }
  }

  #getFile(file_id: string, response: ServerResponse): void {
    const bytes = this.files.get(file_id);
    if (bytes === undefined) return refuse(response, 400, "Bad Request: invalid file_id");
    if (bytes.length > maxDownloadBytes) return refuse(response, 400, "Bad Request: file is too big");
    give(response, {
      file_id,
      file_unique_id: file_id,
      file_size: bytes.length,
      file_path: `photos/${file_id}`,
    });
  }

  #file(given: string, path: string, response: ServerResponse): void {
    const bytes = this.files.get(path.replace("photos/", ""));
    if (given !== token || bytes === undefined) return refuse(response, 404, "Not Found");
    response.writeHead(200, { "content-type": "application/octet-stream" }).end(bytes);
  }

  /** One poll at a time: a second one ends the first, as the platform does. */
  #getUpdates(params: Params, response: ServerResponse): void {
    this.calls.push({ method: "getUpdates", params, at: Date.now() });
    if (this.webhook !== "") {
      const cure =
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
      refuse(response, 409, cure);
      return this.#wake();
    }
    if (this.#poll) {
      const other =
        "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
      refuse(this.#poll.response, 409, other);
      clearTimeout(this.#poll.timer);
    }
    const { offset, timeout = 0 } = params;
    if (offset !== undefined) this.#confirm(Number(offset));
    const timer = setTimeout(() => this.#endPoll([]), Number(timeout) * 1_000);
    this.#poll = { response, params, timer };
    response.on("close", () => {
      if (this.#poll?.response !== response) return;
      clearTimeout(timer);
      this.#poll = undefined;
    });
    this.#wakePoll();
    this.#wake();
  }

  #confirm(offset: number): void {
    this.confirmed.push(
      ...this.updates.filter(({ update_id }) => update_id < offset).map(({ update_id }) => update_id),
    );
    this.updates = this.updates.filter(({ update_id }) => update_id >= offset);
  }

  #wakePoll(): void {
    const allowed: readonly string[] = this.#poll?.params["allowed_updates"] ?? [];
    const due = this.updates.filter(
      (update) => allowed.length === 0 || allowed.some((kind) => kind in update),
    );
    if (this.#poll && due.length > 0) this.#endPoll(due.slice(0, Number(this.#poll.params["limit"] ?? 100)));
  }

  #endPoll(updates: readonly Params[]): void {
    const poll = this.#poll;
    this.#poll = undefined;
    clearTimeout(poll?.timer);
    if (poll) give(poll.response, updates);
  }
}
