import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import { WebSocketServer, type WebSocket } from "ws";
import { acknowledgeMs, maxConnections } from "./slack-limits.test-kit.ts";

/** One thing that Slack sends until it is acknowledged. */
interface Waiting {
  readonly body: object;
  readonly id: string;
  readonly attempt: number;
  readonly on: WebSocket | undefined;
  readonly timer: NodeJS.Timeout;
}

const pingMs = 10_000;
/**
 * The number of times that Slack sends again: https://docs.slack.dev/apis/events-api, "Error
 * handling".
 */
const maxRetries = 3;

/**
 * Slack's side of Socket Mode: an envelope goes to one connection, and again, to any, where it is
 * not acknowledged in time or its connection ends. What happens while no connection is open is sent
 * to nobody.
 */
export class FakeSocketMode {
  /** The contents of each envelope that was acknowledged, in order. */
  readonly acknowledged: string[] = [];
  /** For how long an acknowledgement is waited for, in ms. */
  ackMs: number = acknowledgeMs;
  saysHello = true;
  /** It sends nothing more, pings neither. */
  isDeaf = false;
  /** Connections of other programs. */
  others = 0;
  /** Said in place of a hello. */
  refusal: string | undefined;
  /** The most that were open at once, and how many there were. */
  most = 0;
  opened = 0;
  readonly #tickets = new Set<string>();
  readonly #open: WebSocket[] = [];
  readonly #waiting = new Map<string, Waiting>();
  readonly #wake: () => void;
  readonly #server = new WebSocketServer({ noServer: true });
  #next = 0;

  constructor(http: Server, wake: () => void) {
    this.#wake = wake;
    http.on("upgrade", (request: IncomingMessage, socket, head) => {
      const ticket = new URL(request.url ?? "", "http://x").searchParams.get("ticket") ?? "";
      if (!this.#tickets.delete(ticket)) return void socket.end("HTTP/1.1 408 Request Timeout\r\n\r\n");
      this.#server.handleUpgrade(request, socket, head, (ws) => this.#opened(ws));
    });
  }

  /** A way in, good for one connection. */
  ticket(): string {
    const ticket = randomUUID();
    this.#tickets.add(ticket);
    return ticket;
  }

  get open(): number {
    return this.#open.length;
  }

  /** The number of envelopes that wait to be acknowledged. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Sends to one connection; returns false if there is none, so that it is lost. */
  push(id: string, body: object): boolean {
    if (this.#open.length === 0) return false;
    this.#send(id, body, 0);
    return true;
  }

  /** Tells every connection that it will end, or that it does. */
  disconnect(reason: string, closes: boolean = false): void {
    for (const ws of this.#open) {
      ws.send(JSON.stringify({ type: "disconnect", reason, debug_info: { host: "applink-1" } }));
      if (closes) ws.close(1000);
    }
  }

  /** Ends all connections without a word. */
  cut(): void {
    for (const ws of this.#open) ws.terminate();
  }

  close(): void {
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
    this.cut();
    this.#server.close();
  }

  #opened(ws: WebSocket): void {
    this.opened += 1;
    const pings = setInterval(() => (this.isDeaf ? undefined : ws.ping()), pingMs);
    ws.on("error", () => {});
    ws.on("close", () => {
      clearInterval(pings);
      const at = this.#open.indexOf(ws);
      if (at >= 0) this.#open.splice(at, 1);
      const lost = [...this.#waiting].filter(([, { on }]) => on === ws);
      for (const [id] of lost) this.#again(id);
      this.#wake();
    });
    ws.on("message", (data) => this.#heard(String(data)));
    if (this.#open.length >= maxConnections || this.refusal !== undefined) {
      ws.send(JSON.stringify({ type: "disconnect", reason: this.refusal ?? "too_many_websockets" }));
      return ws.close(1000);
    }
    this.#open.push(ws);
    this.most = Math.max(this.most, this.#open.length);
    const num_connections = this.#open.length + this.others;
    const debug_info = { host: "applink-1", approximate_connection_time: 18_060 };
    if (this.saysHello)
      ws.send(
        JSON.stringify({ type: "hello", num_connections, debug_info, connection_info: { app_id: "A1" } }),
      );
    this.#wake();
  }

  #heard(frame: string): void {
    const { envelope_id } = JSON.parse(frame) as { envelope_id?: string };
    const found = this.#waiting.get(envelope_id ?? "");
    if (found === undefined) return;
    clearTimeout(found.timer);
    this.#waiting.delete(envelope_id as string);
    this.acknowledged.push(found.id);
    this.#wake();
  }

  #send(id: string, body: object, attempt: number): void {
    const envelope_id = randomUUID();
    const on = this.#open[(this.#next += 1) % Math.max(1, this.#open.length)];
    const timer = setTimeout(() => this.#again(envelope_id), this.ackMs);
    this.#waiting.set(envelope_id, { body, id, attempt, on, timer });
    const retry = attempt === 0 ? {} : { retry_attempt: attempt, retry_reason: "timeout" };
    on?.send(JSON.stringify({ envelope_id, accepts_response_payload: false, ...retry, ...body }));
  }

  #again(envelope_id: string): void {
    const waiting = this.#waiting.get(envelope_id);
    if (waiting === undefined) return;
    const { id, body, attempt, timer } = waiting;
    clearTimeout(timer);
    this.#waiting.delete(envelope_id);
    if (attempt < maxRetries) this.#send(id, body, attempt + 1);
    this.#wake();
  }
}
