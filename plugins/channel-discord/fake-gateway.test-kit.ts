import type { Server } from "node:http";
import { WebSocketServer, type WebSocket } from "ws";
import type { Params } from "./discord-limits.test-kit.ts";

/**
 * Sources: "gateway" is https://docs.discord.com/developers/events/gateway, "codes" is
 * https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes.
 */
const content = 1 << 15;
/** gateway, "List of Intents": what a message in a server and a direct one take. */
const guildMessages = 1 << 9;
const directMessages = 1 << 12;
/** gateway: the highest intent is 1 << 25. */
const allIntents = (1 << 26) - 1;
/** gateway, "Sending Events": at most 4096 bytes, and 120 events in 60 seconds. */
const maxBytes = 4_096;
const maxEvents = 120;

interface Sent {
  readonly seq: number;
  readonly type: string;
  readonly data: Params;
}

export interface FakeSession {
  readonly id: string;
  readonly intents: number;
  readonly events: Sent[];
  seq: number;
  /** The highest sequence that the bot has said it has. */
  confirmed: number;
  socket: WebSocket | undefined;
}

export interface GatewayHost {
  readonly token: string;
  readonly revoked: boolean;
  /** The owner has switched on that the bot reads what is written in servers. */
  readonly mayReadWords: boolean;
  readonly self: Params;
  /** Called after everything that happens. */
  happened(): void;
}

/**
 * A strict gateway: refuses what the real one refuses, keeps what a session missed until it is
 * resumed.
 */
export class FakeGateway {
  /** Milliseconds between two heartbeats, as the real one asks for. */
  heartbeatMs = 41_250;
  /** Heartbeats are not answered. */
  deaf = false;
  /** New connections are told nothing. */
  silent = false;
  /** gateway, "Session start limit". */
  starts: { total: number; remaining: number; reset_after: number } = {
    total: 1_000,
    remaining: 1_000,
    reset_after: 86_400_000,
  };
  readonly sessions = new Map<string, FakeSession>();
  readonly identified: Params[] = [];
  readonly resumed: Params[] = [];
  readonly beats: (number | null)[] = [];
  /** The codes with which bots have closed. */
  readonly closes: number[] = [];
  connections = 0;
  readonly #host: GatewayHost;
  readonly #server: WebSocketServer;
  readonly #address: () => string;

  constructor(server: Server, host: GatewayHost, address: () => string) {
    this.#host = host;
    this.#address = address;
    this.#server = new WebSocketServer({ server });
    this.#server.on("connection", (socket, request) => this.#connected(socket, request.url ?? ""));
  }

  get open(): readonly FakeSession[] {
    return [...this.sessions.values()].filter(({ socket }) => socket !== undefined);
  }

  /** To every session that asked for it, also those that are not connected now. */
  dispatch(type: string, data: Params): void {
    for (const session of this.sessions.values())
      if (isFor(session, type, data)) this.#tell(session, type, data);
  }

  /** Ends every connection: with a code, or as a cut cable does. */
  drop(code?: number, reason?: string): void {
    for (const { socket } of this.open)
      if (code === undefined) socket?.terminate();
      else socket?.close(code, reason);
  }

  /** Asks for another connection. */
  ask(op: 1 | 7 | 9, d?: boolean): void {
    for (const { socket } of this.open) say(socket, op, d ?? null);
  }

  /** No session is known any more, as after some minutes without a connection. */
  forget(): void {
    for (const { socket } of this.open) socket?.terminate();
    this.sessions.clear();
  }

  close(): void {
    for (const socket of this.#server.clients) socket.terminate();
    this.#server.close();
  }

  #connected(socket: WebSocket, path: string): void {
    this.connections += 1;
    const query = new URL(path, "ws://x").searchParams;
    let session: FakeSession | undefined;
    let events = 0;
    socket.on("close", (code) => {
      this.closes.push(code);
      if (session?.socket === socket) session.socket = undefined;
      // gateway, "Disconnecting": the session is gone after 1000 and 1001, and only then.
      if (session && (code === 1_000 || code === 1_001)) this.sessions.delete(session.id);
      this.#host.happened();
    });
    if (query.get("v") !== "10" || query.get("encoding") !== "json") return socket.close(4_012);
    if (this.silent) return this.#host.happened();
    say(socket, 10, { heartbeat_interval: this.heartbeatMs });
    socket.on("message", (raw) => {
      events += 1;
      const text = String(raw);
      if (events > maxEvents) return socket.close(4_008);
      if (Buffer.byteLength(text) > maxBytes) return socket.close(4_002);
      const frame = frameOf(text);
      if (frame === undefined) return socket.close(4_002);
      session = this.#frame(frame, socket, session);
      this.#host.happened();
    });
    this.#host.happened();
  }

  #frame({ op, d }: Params, socket: WebSocket, session: FakeSession | undefined): FakeSession | undefined {
    if (op === 1) {
      this.beats.push(d);
      if (session && typeof d === "number") session.confirmed = Math.max(session.confirmed, d);
      if (!this.deaf) say(socket, 11, null);
      return session;
    }
    if (op !== 2 && op !== 6) return this.#end(socket, session ? 4_001 : 4_003);
    if (session) return this.#end(socket, 4_005);
    if (d?.token !== this.#host.token || this.#host.revoked) return this.#end(socket, 4_004);
    return op === 2 ? this.#identify(d, socket) : this.#resume(d, socket);
  }

  #identify(d: Params, socket: WebSocket): FakeSession | undefined {
    this.identified.push(d);
    const { intents, properties } = d;
    if (typeof properties?.os !== "string") return this.#end(socket, 4_002);
    if (!Number.isInteger(intents) || intents < 0 || intents > allIntents) return this.#end(socket, 4_013);
    if ((intents & content) !== 0 && !this.#host.mayReadWords)
      return this.#end(socket, 4_014, "Disallowed intent(s).");
    this.starts = { ...this.starts, remaining: this.starts.remaining - 1 };
    const id = `session-${this.identified.length}-${Math.random().toString(36).slice(2)}`;
    const session: FakeSession = { id, intents, events: [], seq: 0, confirmed: 0, socket };
    this.sessions.set(id, session);
    const ready = {
      v: 10,
      user: this.#host.self,
      guilds: [],
      session_id: id,
      resume_gateway_url: this.#address(),
      application: { id: this.#host.self["id"], flags: 0 },
    };
    this.#tell(session, "READY", ready);
    return session;
  }

  #resume(d: Params, socket: WebSocket): FakeSession | undefined {
    this.resumed.push(d);
    const session = this.sessions.get(d["session_id"]);
    if (session === undefined) {
      say(socket, 9, false);
      return undefined;
    }
    if (!Number.isInteger(d["seq"]) || d["seq"] > session.seq) return this.#end(socket, 4_007);
    session.socket?.terminate();
    session.socket = socket;
    session.confirmed = Math.max(session.confirmed, d["seq"]);
    for (const event of session.events) if (event.seq > d["seq"]) say(socket, 0, event.data, event);
    this.#tell(session, "RESUMED", {});
    return session;
  }

  #tell(session: FakeSession, type: string, data: Params): void {
    session.seq += 1;
    const event = { seq: session.seq, type, data: shownTo(session, data) };
    session.events.push(event);
    if (session.socket) say(session.socket, 0, event.data, event);
  }

  #end(socket: WebSocket, code: number, reason?: string): undefined {
    socket.close(code, reason);
    return undefined;
  }
}

function isFor({ intents }: FakeSession, type: string, { guild_id }: Params): boolean {
  if (!type.startsWith("MESSAGE_")) return true;
  return (intents & (guild_id === undefined ? directMessages : guildMessages)) !== 0;
}

/**
 * gateway, "Message Content Intent": without it words come only of direct messages and of what
 * names the bot.
 */
function shownTo({ intents }: FakeSession, data: Params): Params {
  const isNamed = (data["mentions"] ?? []).length > 0;
  if ((intents & content) !== 0 || data["guild_id"] === undefined || isNamed) return data;
  return "content" in data ? { ...data, content: "", attachments: [] } : data;
}

function say(socket: WebSocket | undefined, op: number, d: unknown, event?: Sent): void {
  socket?.send(JSON.stringify({ op, d, s: event?.seq ?? null, t: event?.type ?? null }));
}

function frameOf(text: string): Params | undefined {
  try {
    const frame = JSON.parse(text) as Params | null;
    return typeof frame?.["op"] === "number" ? frame : undefined;
  } catch {
    return undefined;
  }
}
