import {
  GantryError,
  type InboundMessage,
  type Route,
  type RouteRequest,
  type ServerEvent,
} from "../../index.ts";
import type { ContractCase } from "../contract-case.ts";
import { cases, frozen, messageOf, within, wrong } from "../say.ts";
import { kindOf } from "./answered.ts";
import { exampleOf } from "./example.ts";
import { wrongUpgrade, wrongWebSocket, type SocketReply } from "./socket-cases.ts";

const bodies = ["body", "text", "bytes", "stream", "events"] as const;

/**
 * Names the fault of a reply, as in "answered %s"; undefined if it is right. Of events the first is
 * read.
 */
async function wrongReply(reply: unknown, patienceMs: number): Promise<string | undefined> {
  const { status, headers, ...rest } = Object(reply) as Record<string, unknown>;
  if ("webSocket" in rest) return wrongUpgrade({ status, ...rest });
  if (!Number.isInteger(status) || (status as number) < 200 || (status as number) > 599)
    return `${kindOf(reply)} with status ${JSON.stringify(status)}`;
  if (Object.values(Object(headers) as object).some((value) => typeof value !== "string"))
    return "a header that is no text";
  const given = bodies.filter((body) => body in rest);
  if (given.length !== 1)
    return given.length === 0 ? "nothing but a status" : `${given.join(" and ")} at once`;
  if ("text" in rest && typeof rest["text"] !== "string") return `${kindOf(rest["text"])} as text`;
  if ("bytes" in rest && !(rest["bytes"] instanceof Uint8Array)) return `${kindOf(rest["bytes"])} as bytes`;
  if ("stream" in rest && !(Symbol.asyncIterator in Object(rest["stream"])))
    return `${kindOf(rest["stream"])} as a stream`;
  return "events" in rest ? wrongEvents(rest["events"], patienceMs) : undefined;
}

/** If nothing happens, no event comes, which is right. */
async function wrongEvents(events: unknown, patienceMs: number): Promise<string | undefined> {
  const iterate = (Object(events) as Partial<AsyncIterable<ServerEvent>>)[Symbol.asyncIterator];
  if (typeof iterate !== "function") return `${kindOf(events)} as events`;
  const none = new Error("none");
  const first = async (): Promise<string | undefined> => {
    for await (const event of events as AsyncIterable<unknown>) return wrongEvent(event);
    return undefined;
  };
  return within(Math.min(patienceMs, 200), none, first).catch((error: unknown) => {
    if (error === none) return undefined;
    throw error;
  });
}

function wrongEvent(event: unknown): string | undefined {
  if (Object(event) !== event) return `${kindOf(event)} as an event`;
  const { raw, data } = event as { raw?: unknown; data?: unknown };
  if (raw === undefined) return data === undefined ? "an event without data" : undefined;
  const isWhole = typeof raw === "string" && /\r?\n\r?\n$/.test(raw);
  return isWhole ? undefined : "a raw frame without the blank line that ends it";
}

/**
 * A request as of a paired device, with nothing that this route's own path or schema does not ask
 * for.
 */
function leastRequest(route: Route, signal: AbortSignal): RouteRequest {
  const params = [...route.path.matchAll(/:([^/]+)/g)].map(([, name = ""]) => [name, "none-such"]);
  const body = route.method === "GET" || !route.bodySchema ? undefined : exampleOf(route.bodySchema);
  const may = [route.may ?? "manage"];
  const caller = route.auth === "token" ? { device: "test", may } : undefined;
  const request = {
    id: "req-test",
    params: Object.fromEntries(params) as Record<string, string>,
    query: {},
    headers: {},
    peer: "127.0.0.1",
    device: caller?.device,
    caller,
    body,
  };
  const rawBody = new TextEncoder().encode(body === undefined ? "" : JSON.stringify(body));
  return { ...frozen(request), rawBody, signal };
}

/**
 * Returns the duties of every route, whatever it is for: asked with the least that it takes, in a
 * host in which nothing is real. `began` holds the messages of all turns that were begun in that
 * host.
 */
export function routeCases(
  route: Route,
  patienceMs: number,
  began: readonly InboundMessage[],
): readonly ContractCase[] {
  const who = `The route ${route.name}`;
  const cure =
    "answer { status } with one of body, text, bytes, events and webSocket, or throw a coded error";
  const answers = async (): Promise<void> => {
    const stop = new AbortController();
    const late = wrong(who, `did not answer in ${patienceMs} ms`, "end by its signal, and answer sooner");
    const ask = async (): Promise<string | undefined> => {
      try {
        return await wrongReply(await route.handle(leastRequest(route, stop.signal)), patienceMs);
      } catch (error) {
        if (error instanceof GantryError) return undefined;
        throw wrong(who, `threw without a code (${messageOf(error)})`, cure);
      }
    };
    try {
      const fault = await within(patienceMs, late, ask);
      if (fault !== undefined) throw wrong(who, `answered ${fault}`, cure);
    } finally {
      stop.abort();
    }
  };
  const listens = async (): Promise<void> => {
    const stop = new AbortController();
    try {
      const ask = () => route.handle(leastRequest(route, stop.signal));
      // The faults of `handle` itself belong to the other case.
      const reply = await within(patienceMs, new Error("late"), ask).catch(() => undefined);
      const isSocket = typeof Object(reply).webSocket === "function";
      const fault = isSocket && (await wrongWebSocket(reply as SocketReply, stop, patienceMs));
      if (fault) throw wrong(who, fault, "read `messages` to their end, and end by `request.signal`");
    } finally {
      stop.abort();
    }
  };
  const speaks = async (): Promise<void> => {
    const before = began.length;
    await answers().catch(() => {});
    const turns = began.slice(before);
    if (turns.some(({ trust, caller }) => trust === "owner" && caller === undefined))
      throw wrong(
        who,
        "begins a turn that may more than the token of the device that asked",
        "hand `caller` of the request on in the message",
      );
  };
  const inName = {
    "a turn that a route begins is in the name of the device that asked": speaks,
  };
  const reads = "a route that reads answers a status with one body";
  const takes = "a route that takes a body answers the least of them with a status and one body";
  const opens = { "a WebSocket of a route takes any message and ends when its client leaves": listens };
  return cases({
    ...(route.auth === "token" && inName),
    [route.method === "GET" ? reads : takes]: answers,
    ...(route.method === "GET" && opens),
  });
}
