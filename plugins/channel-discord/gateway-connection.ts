import type { Socket, Upstream } from "@gantry/sdk";
import { pause } from "@gantry/sdk/channel";
import { nextAfter, type Next } from "./closing.ts";
import { EventQueue, type GatewayEvent } from "./event-queue.ts";
import { Heartbeat } from "./heartbeat.ts";
import type { Session } from "./session.ts";
import type { WireReady } from "./wire.ts";

/** Opcodes: https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-opcodes */
const op = {
  event: 0,
  beat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalid: 9,
  hello: 10,
  answered: 11,
} as const;
/** A connection that says nothing for so long before it is ready never will. */
const openingMs = 30_000;
const goodbyeMs = 1_000;
/** Ends a connection and not the session, as 1000 would. */
const leave = 4_000;

export interface GatewayConnectionNeeds {
  readonly upstream: Upstream;
  readonly token: string;
  /** The bits of what the bot is to be told. */
  readonly intents: number;
  readonly url: string;
  /** Gone on with; undefined: another one begins. */
  readonly session: Session | undefined;
  alive(): void;
  /** The session, each time that it is another or came further. */
  progressed(session: Session): Promise<void>;
  /** Begins an event that a person is waiting for at once, beside the others. */
  urgent(event: GatewayEvent): void;
  /** Takes events that have to be on disk before the platform forgets them. */
  take(events: readonly GatewayEvent[], session: Session, signal: AbortSignal): Promise<Session>;
}

export interface Ending {
  readonly next: Next;
  readonly reason: string;
  /** The platform had said that the session is there. */
  readonly ready: boolean;
}

interface Frame {
  readonly op?: unknown;
  readonly d?: unknown;
  readonly s?: unknown;
  readonly t?: unknown;
}

/** One WebSocket to the gateway, from its opening to its end. */
export class GatewayConnection {
  readonly #needs: GatewayConnectionNeeds;
  readonly #queue: EventQueue;
  #session: Session | undefined;
  #heart: Heartbeat | undefined;
  #isReady = false;
  #verdict: Omit<Ending, "ready"> | undefined;
  #opening: ReturnType<typeof setTimeout> | undefined;

  constructor(needs: GatewayConnectionNeeds) {
    this.#needs = needs;
    this.#session = needs.session;
    this.#queue = new EventQueue(needs.session?.seq ?? 0);
  }

  /** Throws if the connection cannot be opened, an event cannot be taken, or the bot is refused. */
  async serve(signal: AbortSignal): Promise<Ending> {
    const over = new AbortController();
    const both = AbortSignal.any([signal, over.signal]);
    const socket = await this.#needs.upstream.webSocket(this.#needs.url, {}, both);
    const work = this.#queue.work((events) => this.#work(events, both), both);
    this.#wait(socket);
    try {
      await Promise.race([this.#read(socket), work]);
      return await this.#ending(socket);
    } finally {
      clearTimeout(this.#opening);
      this.#heart?.stop();
      socket.close(leave);
      await Promise.race([socket.closed, pause(goodbyeMs, signal)]);
      over.abort();
      await work.catch(() => {});
      await this.#keep();
    }
  }

  async #read(socket: Socket): Promise<void> {
    try {
      for await (const text of socket.messages) {
        this.#needs.alive();
        if (!this.#isReady) this.#wait(socket);
        await this.#frame(frameOf(text), socket);
        if (this.#verdict) return;
      }
    } catch (error) {
      if (!isOfSocket(error)) throw error;
    }
  }

  async #frame({ op: code, d, s, t }: Frame, socket: Socket): Promise<void> {
    switch (code) {
      case op.hello:
        return this.#hello(
          Number((d as { heartbeat_interval?: unknown } | null)?.heartbeat_interval),
          socket,
        );
      case op.answered:
        this.#heart?.answered();
        return this.#keep();
      case op.beat:
        return this.#beat(socket);
      case op.reconnect:
        this.#verdict = { next: "resume", reason: "the platform asked for another connection" };
        return;
      case op.invalid:
        this.#verdict = { next: d === true ? "resume" : "identify", reason: "the session is over" };
        return;
      case op.event:
        if (typeof s === "number" && typeof t === "string") await this.#event({ seq: s, type: t, data: d });
    }
  }

  #hello(everyMs: number, socket: Socket): void {
    const { token, intents, session } = this.#needs;
    this.#heart?.stop();
    this.#heart = new Heartbeat({
      everyMs,
      send: () => this.#beat(socket),
      dead: () => this.#giveUp(socket, "a heartbeat was not answered"),
    });
    const properties = { os: process.platform, browser: "gantry", device: "gantry" };
    if (session) say(socket, op.resume, { token, session_id: session.id, seq: session.seq });
    else say(socket, op.identify, { token, intents, properties });
  }

  /**
   * The number that goes along is what is done with, not what has come: the platform may forget
   * what is before it.
   */
  #beat(socket: Socket): void {
    const { done } = this.#queue;
    say(socket, op.beat, done === 0 ? null : done);
  }

  async #event(event: GatewayEvent): Promise<void> {
    const { seq, type, data } = event;
    if (type === "READY") {
      const { session_id: id, resume_gateway_url: url } = data as WireReady;
      this.#session = { id, url, seq, caughtUp: false };
    }
    if (type === "READY" || type === "RESUMED") {
      this.#isReady = true;
      clearTimeout(this.#opening);
    }
    if (type === "INTERACTION_CREATE") this.#needs.urgent(event);
    const takesWork = type === "READY" || type === "RESUMED" || type === "MESSAGE_CREATE";
    if (takesWork) this.#queue.push(event);
    else this.#queue.pass(seq);
    if (type === "READY") await this.#needs.progressed(this.#session as Session);
  }

  async #work(events: readonly GatewayEvent[], signal: AbortSignal): Promise<void> {
    const session = await this.#needs.take(events, this.#session as Session, signal);
    this.#session = { ...session, seq: (events.at(-1) as GatewayEvent).seq };
    await this.#needs.progressed(this.#session);
  }

  /**
   * Events that took no work are noted now and then: the platform would only hand them out again.
   */
  async #keep(): Promise<void> {
    const { done } = this.#queue;
    if (this.#session === undefined || this.#session.seq >= done) return;
    this.#session = { ...this.#session, seq: done };
    await this.#needs.progressed(this.#session);
  }

  #wait(socket: Socket): void {
    clearTimeout(this.#opening);
    this.#opening = setTimeout(() => this.#giveUp(socket, "the gateway said nothing"), openingMs);
  }

  #giveUp(socket: Socket, reason: string): void {
    this.#verdict = { next: "resume", reason };
    socket.close(leave);
  }

  async #ending(socket: Socket): Promise<Ending> {
    const ready = this.#isReady;
    if (this.#verdict) return { ...this.#verdict, ready };
    const { code, reason } = await socket.closed;
    const words = reason === "" ? "" : `, ${reason.slice(0, 120)}`;
    return { next: nextAfter(code), reason: `the connection was closed (${code}${words})`, ready };
  }
}

function say(socket: Socket, code: number, d: unknown): void {
  socket.send(JSON.stringify({ op: code, d }));
}

/** An empty one for what cannot be read, which means nothing. */
function frameOf(text: string): Frame {
  try {
    return (JSON.parse(text) ?? {}) as Frame;
  } catch {
    return {};
  }
}

/** Returns true for an error of the socket itself; the close code tells how the socket ended. */
function isOfSocket(error: unknown): boolean {
  return String((error as { code?: unknown } | null)?.code).startsWith("NET_");
}
