import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  invalidForm,
  isSnowflake,
  pingsOf,
  refusals,
  wrongMessage,
  type Params,
  type Refused,
} from "./discord-limits.test-kit.ts";
import { contentOf, give, refuse } from "./discord-http.test-kit.ts";
import { FakeGateway } from "./fake-gateway.test-kit.ts";

export const token = "MTAwMDAwMDAwMDAwMDAwMDAx.GExamp.tokenofthetestsABCDEFGHIJKLMNOPQRSTUV";
/** The bot, which is its application too. */
export const self = { id: "100000000000000001", username: "gantry", bot: true };

export interface ApiCall {
  /** `POST /channels/1/messages`, without the query. */
  readonly what: string;
  readonly query: URLSearchParams;
  readonly body: Params;
  readonly files: readonly File[];
  /** It was made to fail. */
  readonly refused?: boolean;
}

/** Another end for the next call of a kind. */
export interface Failure extends Partial<Refused> {
  readonly what?: RegExp;
  /** Only a call that brings files along. */
  readonly withFiles?: true;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Params;
  /**
   * No answer at all; or the connection is cut after the call was done; or an answer that is not
   * JSON.
   */
  readonly how?: "silent" | "cut" | "html";
}

export interface FakeChannel {
  readonly id: string;
  readonly guild_id?: string;
  readonly messages: Params[];
}

interface Press {
  readonly at: number;
  isTaken: boolean;
}

const epochMs = 1_420_070_400_000;
/** https://docs.discord.com/developers/interactions/receiving-and-responding: 3 seconds. A loaded machine has more. */
const pressMs = 60_000;

/** A strict platform on loopback: REST, gateway and files. */
export class FakeDiscord implements AsyncDisposable {
  readonly token = token;
  readonly self = self;
  readonly calls: ApiCall[] = [];
  readonly failures: Failure[] = [];
  readonly channels = new Map<string, FakeChannel>();
  readonly files = new Map<string, Uint8Array>();
  readonly roles = new Map<string, readonly Params[]>();
  readonly guilds: Params[] = [];
  /** The people who were pinged. */
  readonly pings: string[] = [];
  /** The notices that pressers were told. */
  readonly notices: string[] = [];
  revoked = false;
  mayReadWords = true;
  /**
   * So many messages in so many ms go to one channel;
   * https://docs.discord.com/developers/topics/rate-limits says no numbers.
   */
  limit: { readonly count: number; readonly ms: number } | undefined;
  readonly #sentAt = new Map<string, number[]>();
  readonly #nonces = new Map<string, Params>();
  readonly #presses = new Map<string, Press>();
  readonly #waiting = new Set<() => void>();
  #lastId = 0n;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly gateway: FakeGateway = new FakeGateway(this.#server, this, () => this.gatewayUrl);

  static async start(): Promise<FakeDiscord> {
    const fake = new FakeDiscord();
    await new Promise<void>((resolve) => fake.#server.listen(0, "127.0.0.1", resolve));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get gatewayUrl(): string {
    return this.url.replace("http", "ws");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.gateway.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  of(what: RegExp): readonly ApiCall[] {
    return this.calls.filter((call) => what.test(call.what));
  }

  /** Resolves once `seen` is true, looked at after everything that happens here. */
  async until(seen: () => boolean): Promise<void> {
    while (!seen())
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
      });
  }

  /** Messages of the bot, in order. */
  said(): readonly Params[] {
    const all = [...this.channels.values()].flatMap(({ messages }) => messages);
    return all
      .filter(({ author }) => author?.id === self.id)
      .toSorted((a, b) => (a["id"] < b["id"] ? -1 : 1));
  }

  async sent(count: number): Promise<readonly Params[]> {
    await this.until(() => this.said().length >= count);
    return this.said();
  }

  /** A message of anybody, told to every session. */
  post(channel: string, guild: string | undefined, message: Params): Params {
    const place = this.channels.get(channel) ?? {
      id: channel,
      ...(guild && { guild_id: guild }),
      messages: [],
    };
    this.channels.set(channel, place);
    const where = { channel_id: channel, ...(guild !== undefined && { guild_id: guild }) };
    const timestamp = new Date().toISOString();
    const whole = {
      id: this.newId(),
      type: 0,
      timestamp,
      content: "",
      mentions: [],
      attachments: [],
      ...where,
      ...message,
    };
    place.messages.push(whole);
    this.gateway.dispatch("MESSAGE_CREATE", whole);
    this.happened();
    return whole;
  }

  press(given: Params): string {
    const id = this.newId();
    const interaction = {
      id,
      token: `press-token-${id}`,
      application_id: self.id,
      type: 3,
      version: 1,
      ...given,
    };
    this.#presses.set(`${id}/${interaction.token}`, { at: Date.now(), isTaken: false });
    this.gateway.dispatch("INTERACTION_CREATE", interaction);
    return interaction.token;
  }

  newId(): string {
    const now = BigInt(Date.now() - epochMs) << 22n;
    this.#lastId = now > this.#lastId ? now : this.#lastId + 1n;
    return String(this.#lastId);
  }

  /** Something came to pass: who waits looks again. */
  happened(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? "", this.url);
    const what = `${request.method} ${pathname}`;
    const { body, files } = await contentOf(request);
    const at = this.failures.findIndex(
      ({ what: known, withFiles }) => (known?.test(what) ?? true) && (!withFiles || files.length > 0),
    );
    const [failure] = at < 0 ? [] : this.failures.splice(at, 1);
    this.calls.push({ what, query, body, files, ...(failure && failure.how !== "cut" && { refused: true }) });
    if (failure?.how === "cut") {
      this.#answer({ what, query, body, files }, request);
      response.destroy();
    } else if (failure?.how === "html")
      response.writeHead(failure.status ?? 502, failure.headers).end("<html>");
    else if (failure && failure.how !== "silent") {
      const { status = 500, code = 0, message = "Internal Server Error" } = failure;
      refuse(response, { status, code, message }, failure.body, failure.headers);
    } else if (failure === undefined) {
      const answer = this.#answer({ what, query, body, files }, request);
      const headers = this.#limitHeaders(what);
      if (answer instanceof Uint8Array) response.writeHead(200).end(answer);
      else if (isRefused(answer)) refuse(response, answer, answer.body, { ...headers, ...answer.headers });
      else give(response, answer, headers);
    }
    this.happened();
  }

  #answer(call: ApiCall, { headers }: IncomingMessage): unknown {
    const { what, query } = call;
    const [verb, ...rest] = what.split(/[ /]/).filter((word) => word !== "");
    const [top, id = "", next, third] = rest;
    if (top === "files") return this.files.get(id) ?? refusals.notFound;
    // https://docs.discord.com/developers/reference#user-agent
    if (!/^DiscordBot \(.+\)/.test(headers["user-agent"] ?? "")) return refusals.agent;
    if (top === "interactions") return this.#take(`${id}/${next}`, call);
    if (top === "webhooks") return this.#notice(String(next), call);
    if (headers.authorization !== `Bot ${token}` || this.revoked) return refusals.unauthorized;
    switch (`${verb} ${[top, top === "channels" || top === "guilds" ? next : id].join("/")}`) {
      case "GET users/@me":
        return next === "guilds" ? this.guilds : self;
      case "GET applications/@me":
        return { id: self.id, flags: this.mayReadWords ? 1 << 19 : 0 };
      case "GET gateway/bot":
        return {
          url: this.gatewayUrl,
          shards: 1,
          session_start_limit: { ...this.gateway.starts, max_concurrency: 1 },
        };
      case "GET guilds/roles":
        return this.roles.get(id) ?? refusals.unknownGuild;
      case "POST channels/typing":
        return this.channels.has(id) ? undefined : refusals.unknownChannel;
      case "GET channels/messages":
        return this.#history(id, query);
      case "POST channels/messages":
        return this.#create(id, call);
      case "PATCH channels/messages":
        return this.#edit(id, String(third), call);
      default:
        return refusals.notFound;
    }
  }

  #history(id: string, query: URLSearchParams): unknown {
    const limit = Number(query.get("limit") ?? 50);
    const after = query.get("after") ?? "00000000000000000";
    if (!(limit >= 1 && limit <= 100) || !isSnowflake(after)) return invalidForm("limit: 1-100");
    const messages = this.channels.get(id)?.messages;
    if (messages === undefined) return refusals.unknownChannel;
    const later = messages.filter((message) => BigInt(message["id"]) > BigInt(after)).slice(0, limit);
    // A message of REST does not name its server.
    return later.toReversed().map((message) => ({ ...message, guild_id: undefined }));
  }

  #create(id: string, { body, files }: ApiCall): unknown {
    const channel = this.channels.get(id);
    if (channel === undefined) return refusals.unknownChannel;
    const wrong = wrongMessage(body, files) ?? this.#wrongReference(channel, body) ?? this.#tooFast(id);
    if (wrong) return wrong;
    const name = `${id} ${body["nonce"]}`;
    const before = body["enforce_nonce"] === true && body["nonce"] !== undefined && this.#nonces.get(name);
    if (before) return before;
    this.pings.push(...pingsOf(body));
    const { content = "", nonce, components, message_reference } = body;
    const attachments = files.map((file, i) => ({ id: String(i), filename: file.name, size: file.size }));
    const given = { content, nonce, components, message_reference, attachments, author: self };
    const message = this.post(id, channel.guild_id, given);
    this.#nonces.set(name, message);
    return message;
  }

  #wrongReference({ messages }: FakeChannel, { message_reference: answered }: Params): Refused | undefined {
    if (answered === undefined || answered.fail_if_not_exists === false) return undefined;
    if (!isSnowflake(answered.message_id)) return invalidForm("message_reference.message_id: snowflake");
    const isKnown = messages.some(({ id }) => id === answered.message_id);
    return isKnown ? undefined : invalidForm("message_reference: Unknown message");
  }

  #tooFast(
    id: string,
  ): (Refused & { readonly body: Params; readonly headers: Record<string, string> }) | undefined {
    if (this.limit === undefined) return undefined;
    const since = Date.now() - this.limit.ms;
    const recent = (this.#sentAt.get(id) ?? []).filter((at) => at > since);
    if (recent.length < this.limit.count) {
      this.#sentAt.set(id, [...recent, Date.now()]);
      return undefined;
    }
    const retry_after = ((recent[0] as number) - since) / 1_000;
    const headers = { "retry-after": String(Math.ceil(retry_after)), "x-ratelimit-scope": "user" };
    return {
      status: 429,
      code: 0,
      message: "You are being rate limited.",
      body: { retry_after, global: false },
      headers,
    };
  }

  #limitHeaders(what: string): Record<string, string> {
    const [, id] = /^POST \/channels\/(\d+)\/messages$/.exec(what) ?? [];
    if (id === undefined || this.limit === undefined) return {};
    const times = (this.#sentAt.get(id) ?? []).filter((at) => at > Date.now() - this.limit!.ms);
    const resetMs = (times[0] ?? Date.now()) + this.limit.ms - Date.now();
    return {
      "x-ratelimit-bucket": "messages",
      "x-ratelimit-limit": String(this.limit.count),
      "x-ratelimit-remaining": String(this.limit.count - times.length),
      "x-ratelimit-reset": String((Date.now() + resetMs) / 1_000),
      "x-ratelimit-reset-after": String(resetMs / 1_000),
    };
  }

  #edit(id: string, message: string, { body }: ApiCall): unknown {
    const messages = this.channels.get(id)?.messages ?? [];
    const at = messages.findIndex((one) => one["id"] === message);
    if (at < 0) return refusals.unknownMessage;
    const before = messages[at] as Params;
    if (before["author"].id !== self.id) return refusals.notOurs;
    const { content = before["content"], components = before["components"] } = body;
    const wrong = wrongMessage({ ...body, content }, []);
    if (wrong) return wrong;
    messages[at] = { ...before, content, components };
    this.gateway.dispatch("MESSAGE_UPDATE", messages[at] as Params);
    return messages[at];
  }

  #take(name: string, { body }: ApiCall): unknown {
    const press = this.#presses.get(name);
    if (press === undefined || Date.now() - press.at > pressMs) return refusals.unknownInteraction;
    if (press.isTaken) return refusals.acknowledged;
    if (![4, 5, 6, 7].includes(body["type"])) return invalidForm("type");
    press.isTaken = true;
    return undefined;
  }

  #notice(given: string, { body }: ApiCall): unknown {
    const [, press] = [...this.#presses].find(([name]) => name.endsWith(`/${given}`)) ?? [];
    if (!press?.isTaken) return refusals.unknownWebhook;
    const { flags = 0, ...message } = body;
    const wrong = wrongMessage(message, []);
    if (wrong) return wrong;
    if (flags === 64) this.notices.push(String(body["content"]));
    return { id: this.newId(), content: body["content"] };
  }
}

function isRefused(answer: unknown): answer is Refused & {
  readonly body?: Params;
  readonly headers?: Record<string, string>;
} {
  return typeof (answer as Refused | undefined)?.status === "number" && "code" in (answer as Refused);
}
