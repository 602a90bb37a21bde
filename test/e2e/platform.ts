import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Loopback } from "./loopback.ts";

/** The beginning of a copy of an answer that may have arrived. */
const copyMark = /^\(Sent again, as it may not have arrived\.\)\n/;

export interface SentReply {
  readonly to: string;
  readonly body: string;
  /** Which life of the service sent it. */
  readonly life: number;
  /** When the platform confirmed it, as `performance.now()` tells. */
  readonly at: number;
}

/**
 * The chat platform, as the service sees it: it delivers signed webhooks until they are taken, and
 * takes replies.
 */
export class Platform extends Loopback {
  readonly secret = "platform-secret";
  readonly replies: SentReply[] = [];
  life = 0;
  /** Replies that it does not take now. */
  refuses: (text: string) => boolean = () => false;
  /** The status with which it refuses. */
  refusal = 503;
  /** True while it takes what comes and answers nothing, ever. */
  hangs = false;
  readonly #held: ServerResponse[] = [];

  protected answer(_request: IncomingMessage, text: string, response: ServerResponse): void {
    if (this.hangs) return void this.#held.push(response);
    // It is asked whether it is there.
    if (text === "") return void response.end("{}");
    const { to, text: said } = JSON.parse(text) as { to: string; text?: { body: string } };
    // A message was marked as read.
    if (said === undefined) return void response.end('{"success":true}');
    const body = said.body.replace(copyMark, "");
    if (this.refuses(body)) return void response.writeHead(this.refusal).end();
    this.replies.push({ to, body, life: this.life, at: performance.now() });
    response.end(JSON.stringify({ messages: [{ id: `out-${this.replies.length}` }] }));
  }

  /** Hangs up on all who still wait for an answer, as a platform does that restarts. */
  hangUp(): void {
    for (const response of this.#held.splice(0)) response.destroy();
  }

  /** Makes one delivery; returns true if it got its 200 before `signal` was aborted. */
  async deliver(
    base: string,
    from: string,
    id: string,
    body: string,
    signal: AbortSignal | null = null,
  ): Promise<boolean> {
    const message = {
      from,
      id,
      timestamp: String(Math.floor(Date.now() / 1_000)),
      type: "text",
      text: { body },
    };
    const value = { messaging_product: "chat", metadata: {}, messages: [message] };
    const payload = JSON.stringify({
      object: "business_account",
      entry: [{ id: "e", changes: [{ field: "messages", value }] }],
    });
    const signature = `sha256=${createHmac("sha256", this.secret).update(payload).digest("hex")}`;
    try {
      const headers = { "content-type": "application/json", "x-hub-signature-256": signature };
      const response = await fetch(`${base}/chatapp`, { method: "POST", headers, body: payload, signal });
      await response.text();
      return response.status === 200;
    } catch {
      return false;
    }
  }

  /**
   * Delivers again and again until it gets its 200, as platforms do; returns false if `signal` is
   * aborted before.
   */
  async deliverUntilTaken(
    base: string,
    from: string,
    id: string,
    body: string,
    signal?: AbortSignal,
  ): Promise<boolean> {
    while (!(await this.deliver(base, from, id, body))) {
      if (signal?.aborted === true) return false;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return true;
  }
}

/** For tests in which few people write much more than people do. */
export const unbounded: string = "max_waiting_per_sender = 10000\nmessages_per_minute_per_sender = 1000000";

/**
 * A model that repeats the last word it was told, after a moment, or fails with the status that
 * `fails` names.
 */
export async function startEchoModel(
  delayMs: () => number,
  fails: (word: string) => number | undefined = () => undefined,
): Promise<{ readonly provider: string; close(): void }> {
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (piece) => (text += piece));
    request.on("end", () => {
      // The request of a process that was killed while it asked.
      if (!request.complete || text === "") return;
      const { messages } = JSON.parse(text) as { messages: { role: string; content: string }[] };
      const said = messages.findLast(({ role }) => role === "user")?.content ?? "";
      const word = /message-[\w-]+/.exec(said)?.[0] ?? "nothing";
      const status = fails(word);
      if (status !== undefined) return void response.writeHead(status).end();
      const content = `re: ${word}`;
      setTimeout(() => {
        response.setHeader("content-type", "text/event-stream");
        response.write(
          `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: "stop" }] })}\n\n`,
        );
        response.end("data: [DONE]\n\n");
      }, delayMs());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { provider: `custom:http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, close };
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
