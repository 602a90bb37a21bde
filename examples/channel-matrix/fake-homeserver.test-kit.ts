import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Event } from "./read-events.ts";

export const token = "syt_accesstokenofthetests";
export const me = "@gantry:example.org";
export const room = "!team:example.org";

export interface SentOut {
  readonly room: string;
  readonly content: { body: string; formatted_body?: string; "m.relates_to"?: { event_id: string } };
}

interface Kept {
  readonly room: string;
  readonly event: Event;
}

/**
 * A homeserver on loopback: events by long polling since a token, messages by transaction, refusals
 * in its own words.
 */
export class FakeHomeserver implements AsyncDisposable {
  readonly sent: SentOut[] = [];
  readonly failures: { status: number; body: object }[] = [];
  readonly joined: string[] = [];
  /** The number of events before the newest `since` that was asked with. */
  confirmed = 0;
  isRevoked = false;
  #invited: string[] = [];
  readonly #events: Kept[] = [];
  readonly #transactions = new Set<string>();
  readonly #waiting = new Set<() => void>();
  #asked = 0;
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  static async start(): Promise<FakeHomeserver> {
    const server = new FakeHomeserver();
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves once somebody listens. */
  async listened(): Promise<void> {
    while (this.#asked === 0) await this.#changed();
  }

  push(inRoom: string, event: Event): void {
    this.#events.push({ room: inRoom, event });
    this.#tell();
  }

  invite(inRoom: string): void {
    this.#invited.push(inRoom);
    this.#tell();
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await this.#changed();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  #tell(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = JSON.parse(Buffer.concat(pieces).toString() || "{}") as SentOut["content"];
    const url = new URL(request.url ?? "", this.url);
    const answer = await this.#answer(request, url, body);
    this.#tell();
    response
      .writeHead(answer.status, { "content-type": "application/json" })
      .end(JSON.stringify(answer.body));
  }

  async #answer({ method, headers }: IncomingMessage, url: URL, body: SentOut["content"]) {
    const refused = { status: 401, body: { errcode: "M_UNKNOWN_TOKEN", error: `Unknown ${token}` } };
    if (this.isRevoked || headers.authorization !== `Bearer ${token}`) return refused;
    const [, , , , what = "", first = "", second = "", third = "", fourth = ""] = url.pathname
      .split("/")
      .map(decodeURIComponent);
    if (what === "account") return { status: 200, body: { user_id: me } };
    if (what === "sync") return { status: 200, body: await this.#sync(url) };
    if (what === "join") return { status: 200, body: { room_id: this.joined[this.joined.push(first) - 1] } };
    if (second === "joined_members") return { status: 200, body: { joined: membersOf(first) } };
    if (second === "typing") return { status: 200, body: {} };
    if (method !== "PUT" || second !== "send" || third !== "m.room.message")
      return { status: 404, body: { errcode: "M_UNRECOGNIZED" } };
    const failure = this.failures.shift();
    if (failure) return failure;
    if (JSON.stringify(body).length > 65_536) return { status: 413, body: { errcode: "M_TOO_LARGE" } };
    if (!this.#transactions.has(fourth)) this.sent.push({ room: first, content: body });
    this.#transactions.add(fourth);
    return { status: 200, body: { event_id: `$sent-${fourth}` } };
  }

  async #sync({ searchParams }: URL): Promise<object> {
    const since = Number(searchParams.get("since") ?? this.#events.length);
    this.confirmed = Math.max(this.confirmed, since);
    if (searchParams.get("since") !== null) {
      this.#asked += 1;
      this.#tell();
      while (this.#events.length <= since && this.#invited.length === 0) await this.#changed();
    }
    const fresh = this.#events.slice(since);
    const rooms = [...new Set(fresh.map((kept) => kept.room))].map((id) => {
      const events = fresh.filter((kept) => kept.room === id).map(({ event }) => event);
      return [id, { timeline: { events } }] as const;
    });
    const invite = Object.fromEntries(
      this.#invited.map((id) => [id, { invite_state: { events: [{ sender: id.slice(1) }] } }]),
    );
    this.#invited = [];
    return { next_batch: String(since + fresh.length), rooms: { join: Object.fromEntries(rooms), invite } };
  }
}

/** In a direct chat its name is the other person's. */
function membersOf(id: string): object {
  return id === room ? { [me]: {}, "@a:x": {}, "@b:x": {} } : { [me]: {}, [id.slice(1)]: {} };
}
