import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { checks, historyScope, neededScopes, type Params } from "./slack-limits.test-kit.ts";
import { answers, type Answer } from "./slack-methods.test-kit.ts";
import { SlackWorkspace } from "./slack-workspace.test-kit.ts";
import { FakeSocketMode } from "./socket-mode.test-kit.ts";

export const botToken = "xoxb-1111111111-2222222222-tokenofthebotintests";
export const appToken = "xapp-1-A11111111-3333333333-tokenoftheappintests";

export interface ApiCall {
  readonly method: string;
  readonly params: Params;
  readonly at: number;
  /** It was made to fail, or was wrong. */
  readonly refused?: boolean;
}

/** Another end for the next call of a method. */
export interface Failure {
  readonly method?: string;
  readonly channel?: string;
  /** Slack's word for it; with it HTTP 200, unless told otherwise. */
  readonly error?: string;
  readonly status?: number;
  /** Seconds. */
  readonly retryAfter?: number;
  /** No answer at all; or the connection is cut after the call was done. */
  readonly how?: "silent" | "cut";
}

/**
 * A strict Slack on loopback: Web API, files and Socket Mode; it refuses what the real one refuses,
 * in its words.
 */
export class FakeSlack extends SlackWorkspace implements AsyncDisposable {
  readonly calls: ApiCall[] = [];
  readonly failures: Failure[] = [];
  readonly revoked: Set<string> = new Set();
  /** The scopes of the bot token. */
  readonly scopes: Set<string> = new Set([
    ...Object.values(neededScopes).filter((scope) => scope !== "connections:write"),
    "app_mentions:read",
    "channels:history",
    "groups:history",
    "im:history",
    "mpim:history",
  ]);
  readonly appScopes: Set<string> = new Set(["connections:write"]);
  readonly #waiting = new Set<() => void>();
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly socketMode: FakeSocketMode = new FakeSocketMode(this.#server, () => this.wake());

  static async start(port: number = 0): Promise<FakeSlack> {
    const slack = new FakeSlack();
    await new Promise<void>((resolve) => slack.#server.listen(port, "127.0.0.1", resolve));
    return slack;
  }

  override get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `${this.origin}/api`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socketMode.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  override push(id: string, body: object): void {
    this.socketMode.push(id, body);
  }

  of(method: string): readonly ApiCall[] {
    return this.calls.filter((call) => call.method === method);
  }

  /** Resolves once `seen` is true, looked at whenever something has happened. */
  async until(seen: () => boolean): Promise<void> {
    while (!seen())
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
      });
  }

  /** Resolves to the app's posts, once there are `count`. */
  async sent(count: number): Promise<readonly Params[]> {
    const posts = () => this.of("chat.postMessage").filter(({ refused }) => !refused);
    await this.until(() => posts().length >= count);
    return posts().map(({ params }) => params);
  }

  wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces);
    const [, kind, rest = ""] = /^\/(api|files|upload)\/([^?]*)/.exec(request.url ?? "") ?? [];
    const token = /^Bearer (.*)$/.exec(request.headers.authorization ?? "")?.[1];
    if (kind === "files") return this.#file(rest, token, response);
    if (kind === "upload") return this.#uploaded(rest, await bytesOf(request, body), token, response);
    if (kind !== "api") return void response.writeHead(404).end();
    this.#call(rest, paramsOf(request, body), token, response);
    this.wake();
  }

  #call(method: string, params: Params, token: string | undefined, response: ServerResponse): void {
    const at = this.failures.findIndex(
      (failure) =>
        (failure.method ?? method) === method && (failure.channel ?? params["channel"]) === params["channel"],
    );
    const [failure] = at < 0 ? [] : this.failures.splice(at, 1);
    const fails = failure !== undefined && failure.how !== "cut";
    const answer = fails ? { error: failure.error ?? "internal_error" } : this.#answer(method, params, token);
    const refused = fails || "error" in answer;
    this.calls.push({ method, params, at: Date.now(), ...(refused && { refused }) });
    if (failure?.how === "silent") return;
    if (failure?.how === "cut") return void response.destroy();
    const { status = 200, retryAfter } = failure ?? {};
    if (status === 502) return void response.writeHead(502).end("<html>Bad Gateway</html>");
    response.writeHead(retryAfter === undefined ? status : 429, {
      "content-type": "application/json; charset=utf-8",
      ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
      ...(token === botToken && { "x-oauth-scopes": [...this.scopes].join(",") }),
    });
    response.end(JSON.stringify({ ok: !refused, ...answer }));
  }

  #answer(method: string, params: Params, token: string | undefined): Answer {
    const isForApp = method === "apps.connections.open";
    if (token === undefined) return { error: "not_authed" };
    if (this.revoked.has(token)) return { error: "token_revoked" };
    if (token !== botToken && token !== appToken) return { error: "invalid_auth" };
    if (isForApp !== (token === appToken)) return { error: "not_allowed_token_type" };
    const held = isForApp ? this.appScopes : this.scopes;
    const isPrivate = this.channels.get(params["channel"])?.isPrivate === true;
    const needed = method.startsWith("conversations.")
      ? historyScope(String(params["channel"]), isPrivate)
      : neededScopes[method];
    if (needed !== undefined && !held.has(needed))
      return { error: "missing_scope", needed, provided: [...held].join(",") };
    if (isForApp)
      return {
        url: `${this.origin.replace("http", "ws")}/link/?ticket=${this.socketMode.ticket()}&app_id=A1`,
      };
    const wrong = checks[method]?.map((check) => check(params)).find((word) => word !== undefined);
    if (wrong !== undefined) return { error: wrong };
    return answers[method]?.(params, this) ?? { error: "unknown_method" };
  }

  /** Leads somebody who may not read a file to a page to sign in. */
  #file(rest: string, token: string | undefined, response: ServerResponse): void {
    const file = this.files.get(rest.split("/")[0] as string);
    this.downloads.push(token ?? "");
    if (token !== botToken || !this.scopes.has("files:read"))
      return void response.writeHead(302, { location: `${this.origin}/signin` }).end();
    if (file?.bytes === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": file.mimetype }).end(file.bytes);
  }

  #uploaded(rest: string, bytes: Uint8Array, token: string | undefined, response: ServerResponse): void {
    const file = this.files.get(rest);
    if (file === undefined || bytes.length !== file.size) return void response.writeHead(400).end();
    this.files.set(rest, { ...file, bytes });
    if (token !== undefined) this.leaks.push("a token went to the address of an upload");
    response.writeHead(200).end(`OK - ${bytes.length}`);
    this.wake();
  }
}

/** Slack takes a form, in which an object is JSON, and for many methods JSON. */
function paramsOf(request: IncomingMessage, body: Buffer): Params {
  const type = request.headers["content-type"] ?? "";
  if (type.startsWith("application/json")) return JSON.parse(body.toString()) as Params;
  const structured = new Set(["blocks", "metadata", "files", "attachments"]);
  const fields = [...new URLSearchParams(body.toString())];
  return Object.fromEntries(
    fields.map(([name, value]) => [name, structured.has(name) ? JSON.parse(value) : value]),
  );
}

/** An upload is the bytes themselves, or a form with one file. */
async function bytesOf(request: IncomingMessage, body: Buffer): Promise<Uint8Array> {
  const type = request.headers["content-type"] ?? "";
  if (!type.startsWith("multipart/form-data")) return body;
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
  const [file] = [...form.values()].filter((value) => value instanceof File);
  return new Uint8Array((await file?.arrayBuffer()) ?? new ArrayBuffer(0));
}
