import type { Socket } from "@gantry/sdk";
import { pause, type ChatHost } from "@gantry/sdk/channel";
import { endingAfter, type Ending } from "./closing.ts";
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
/** However long the platform asks for, a dead connection is to be noticed in about a minute. */
const longestBeatMs = 60_000;
const goodbyeMs = 1_000;
/** Ends a connection and not the session, as 1000 would. */
const leave = 4_000;
/** The most events that wait; a connection that brings more ends: the platform keeps the rest. */
const maxWaiting = 1_000;
/** A session at the gateway, which another connection, also of another process, may go on with. */
export interface Session {
  readonly id: string;
  /** The address at which it is resumed. */
  readonly url: string;
  /** The last event that is done with: what comes after it is handed out again. */
  readonly seq: number;
  /** True once the messages missed before it began have been fetched. */
  readonly caughtUp: boolean;
}

/** An event of the gateway that takes work. */
export interface GatewayEvent {
  readonly seq: number;
  readonly type: string;
  readonly data: unknown;
}

export interface GatewaySocketNeeds extends Pick<ChatHost, "upstream"> {
  readonly token: string;
  /** The bits of what the bot is to be told. */
  readonly intents: number;
  readonly url: string;
  /** Undefined: another one begins. */
  readonly session: Session | undefined;
  alive(): void;
  /** Keeps the session, each time that it is another or came further. */
  keep(session: Session): Promise<void>;
  /** Begins a press of a button, beside the events that wait. */
  press(data: unknown): void;
  /** Takes events that have to be on disk before the platform forgets them. */
  take(events: readonly GatewayEvent[], session: Session, signal: AbortSignal): Promise<Session>;
}

interface Frame {
  readonly op?: unknown;
  readonly d?: unknown;
  readonly s?: unknown;
  readonly t?: unknown;
}

/** One WebSocket to the gateway, from its opening to its end. */
export class GatewaySocket {
  readonly #needs: GatewaySocketNeeds;
  readonly #over = new AbortController();
  readonly #failed = Promise.withResolvers<never>();
  #session: Session | undefined;
  #ending: Ending | undefined;
  /** The platform has said that the session is there. */
  #isReady = false;
  #opening: ReturnType<typeof setTimeout> | undefined;
  #beating: ReturnType<typeof setTimeout> | undefined;
  #isAnswered = true;
  readonly #waiting: GatewayEvent[] = [];
  #work: Promise<void> | undefined;
  #received: number;
  /** Everything up to here is done with. */
  #done: number;

  constructor(needs: GatewaySocketNeeds) {
    this.#needs = needs;
    this.#session = needs.session;
    this.#received = this.#done = needs.session?.seq ?? 0;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Throws if the connection cannot be opened, an event cannot be taken, or the bot is refused. */
  async serve(outer: AbortSignal): Promise<Ending> {
    const signal = AbortSignal.any([outer, this.#over.signal]);
    const socket = await this.#needs.upstream.webSocket(this.#needs.url, {}, signal);
    this.#failed.promise.catch(() => {});
    try {
      await Promise.race([this.#read(socket, signal), this.#failed.promise]);
      return this.#ending ?? endingAfter(await socket.closed);
    } finally {
      clearTimeout(this.#opening);
      clearTimeout(this.#beating);
      socket.close(leave);
      await Promise.race([socket.closed, pause(goodbyeMs, outer)]);
      this.#over.abort();
      await this.#work;
      await this.#keep();
    }
  }

  async #read(socket: Socket, signal: AbortSignal): Promise<void> {
    this.#expect(socket);
    try {
      for await (const text of socket.messages) {
        this.#needs.alive();
        if (!this.#isReady) this.#expect(socket);
        await this.#frame(frameOf(text), socket, signal);
        if (this.#ending) return;
      }
    } catch (error) {
      // The close code tells how the socket ended.
      if (!String((error as { code?: unknown } | null)?.code).startsWith("NET_")) throw error;
    }
  }

  async #frame({ op: code, d, s, t }: Frame, socket: Socket, signal: AbortSignal): Promise<void> {
    if (code === op.hello) this.#hello(Number(Object(d)["heartbeat_interval"]), socket);
    if (code === op.beat) this.#sayDone(socket);
    if (code === op.reconnect) this.#end(true, "the platform asked for another connection");
    if (code === op.invalid) this.#end(d === true, "the session is over");
    if (code === op.answered) {
      this.#isAnswered = true;
      await this.#keep();
    }
    if (code === op.event && typeof s === "number" && typeof t === "string")
      await this.#event({ seq: s, type: t, data: d }, signal);
  }

  /** Leaves a platform that says nothing before the session is there. */
  #expect(socket: Socket): void {
    clearTimeout(this.#opening);
    this.#opening = setTimeout(() => this.#leave(socket, "the gateway said nothing"), openingMs);
  }

  /** The first beat comes after a random part of the time, as the platform asks. */
  #hello(interval: number, socket: Socket): void {
    const { token, intents, session } = this.#needs;
    const everyMs = interval > 0 && interval < longestBeatMs ? interval : longestBeatMs;
    const beat = (): void => {
      if (!this.#isAnswered) return this.#leave(socket, "a heartbeat was not answered");
      this.#isAnswered = false;
      this.#sayDone(socket);
      this.#beating = setTimeout(beat, everyMs);
    };
    clearTimeout(this.#beating);
    this.#beating = setTimeout(beat, everyMs * Math.random());
    const properties = { os: process.platform, browser: "gantry", device: "gantry" };
    if (session) say(socket, op.resume, { token, session_id: session.id, seq: session.seq });
    else say(socket, op.identify, { token, intents, properties });
  }

  /** Tells how far events are done with, not received: the platform may forget what is before. */
  #sayDone(socket: Socket): void {
    say(socket, op.beat, this.#done === 0 ? null : this.#done);
  }

  async #event(event: GatewayEvent, signal: AbortSignal): Promise<void> {
    const { seq, type, data } = event;
    const begins = type === "READY";
    if (begins) {
      const { session_id: id, resume_gateway_url: url } = data as WireReady;
      this.#session = { id, url, seq, caughtUp: false };
    }
    if (begins || type === "RESUMED") {
      this.#isReady = true;
      clearTimeout(this.#opening);
    }
    if (type === "INTERACTION_CREATE") this.#needs.press(data);
    this.#received = Math.max(this.#received, seq);
    if (begins || type === "RESUMED" || type === "MESSAGE_CREATE") this.#push(event, signal);
    else if (!this.#work) this.#done = this.#received;
    if (begins) await this.#needs.keep(this.#session as Session);
  }

  #push(event: GatewayEvent, signal: AbortSignal): void {
    if (this.#waiting.push(event) > maxWaiting)
      throw new Error(`${maxWaiting} messages wait to be taken in, so the platform is left to keep the rest`);
    this.#work ??= this.#drain(signal).catch(this.#failed.reject);
  }

  /** Takes what waits, one batch after another while more comes in. */
  async #drain(signal: AbortSignal): Promise<void> {
    while (this.#waiting.length > 0 && !signal.aborted) {
      const batch = this.#waiting.splice(0);
      const { seq } = batch.at(-1) as GatewayEvent;
      const session = await this.#needs.take(batch, this.#session as Session, signal);
      this.#done = seq;
      this.#session = { ...session, seq };
      await this.#needs.keep(this.#session);
    }
    this.#work = undefined;
    if (this.#waiting.length === 0) this.#done = this.#received;
  }

  /** Notes events that took no work now and then: the platform would only hand them out again. */
  async #keep(): Promise<void> {
    if (this.#session === undefined || this.#session.seq >= this.#done) return;
    this.#session = { ...this.#session, seq: this.#done };
    await this.#needs.keep(this.#session);
  }

  #end(resumes: boolean, reason: string): void {
    this.#ending = { resumes, reason };
  }

  #leave(socket: Socket, reason: string): void {
    this.#end(true, reason);
    socket.close(leave);
  }
}

function say(socket: Socket, code: number, d: unknown): void {
  socket.send(JSON.stringify({ op: code, d }));
}

/** Returns an empty frame, which means nothing, for a text that cannot be read. */
function frameOf(text: string): Frame {
  try {
    return Object(JSON.parse(text)) as Frame;
  } catch {
    return {};
  }
}
