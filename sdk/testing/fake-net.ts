import { Readable, type Duplex } from "node:stream";
import {
  definePlugin,
  errors,
  Net,
  Upstream,
  withoutAnswer,
  type NetRequest,
  type Plugin,
} from "../index.ts";
import { webResponse } from "../node/web-response.ts";

/** The answer of an address. Default status: 200. */
export interface FakeReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Sent as JSON instead of `body`. */
  readonly json?: unknown;
  /** Pieces of the body, for streams. */
  readonly pieces?: readonly string[];
  /** The connection fails instead. */
  readonly fails?: "refused" | "timeout";
  /** Resolves before the answer comes. */
  readonly after?: Promise<unknown>;
}

export interface FakeRoute {
  /** A whole address, or a pattern. */
  readonly url: string | RegExp;
  readonly method?: string;
  /** In turn, the last one again and again. */
  readonly replies: readonly (FakeReply | ((request: NetRequest) => FakeReply))[];
}

export interface FakeNet extends Plugin {
  /** Every request, as it came. */
  readonly requests: readonly NetRequest[];
}

/**
 * A network of these addresses and no others, for tools (Net) and for providers and channels
 * (Upstream). Nothing leaves the process.
 */
export function fakeNet(routes: readonly FakeRoute[] = []): FakeNet {
  const requests: NetRequest[] = [];
  const counts = new Map<FakeRoute, number>();
  const fetch = async (request: NetRequest): Promise<Response> => {
    requests.push(request);
    const { url, method = "GET", signal } = request;
    const route = routes.find((known) => matches(known.url, url) && (known.method ?? method) === method);
    const count = route ? (counts.get(route) ?? 0) : 0;
    if (route) counts.set(route, count + 1);
    const step = route?.replies[Math.min(count, route.replies.length - 1)] ?? { fails: "refused" as const };
    const reply = typeof step === "function" ? step(request) : step;
    if (reply.after) await Promise.race([reply.after, aborted(signal)]);
    if (signal.aborted) throw errors.NET_CANCELLED(hostOf(url));
    if (reply.fails === "timeout")
      throw withoutAnswer(errors.NET_TIMEOUT(hostOf(url), (request.timeoutMs ?? 30_000) / 1_000));
    if (reply.fails === "refused") throw errors.NET_REFUSED(hostOf(url), "the connection was refused");
    return responseOf(reply, url);
  };
  const check = async (url: string) => {
    if (routes.some((known) => matches(known.url, url))) return undefined;
    const { code, message: reason } = errors.NET_BLOCKED(hostOf(url), "it is none of the test's addresses");
    return Object.freeze({ verdict: "refuse" as const, code, reason });
  };
  const plugin = definePlugin({
    name: "net-fake",
    provides: [Net, Upstream],
    setup(host) {
      host.provide(Net, { check, fetch, connect });
      host.provide(Upstream, { fetch, webSocket: (url) => connect(hostOf(url)) as Promise<never>, connect });
    },
  });
  return Object.freeze({ ...plugin, requests });
}

async function connect(name: string): Promise<Duplex> {
  throw errors.NET_REFUSED(name, "the test's network has no raw connections");
}

function matches(known: string | RegExp, url: string): boolean {
  return typeof known === "string" ? known === url : known.test(url);
}

/** Without path and query, which may hold secrets. */
function hostOf(url: string): string {
  return URL.parse(url)?.host ?? "the address";
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** A response of text, as Net and Upstream give it. */
export function responseOf(
  { status = 200, headers = {}, body = "", json, pieces }: FakeReply,
  url: string,
): Response {
  const parts = pieces ?? [json === undefined ? body : JSON.stringify(json)];
  const bytes = parts.map((part) => new TextEncoder().encode(part));
  const type: Record<string, string> = json === undefined ? {} : { "content-type": "application/json" };
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return webResponse({ status, headers: { ...type, ...lower }, url, body: Readable.from(bytes) });
}
