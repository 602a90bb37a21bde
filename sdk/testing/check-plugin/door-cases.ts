import {
  GantryError,
  type ChatCommand,
  type ConversationControl,
  type Route,
  type ServerEvent,
} from "../../index.ts";
import type { ContractCase } from "../contract-case.ts";
import { cases, frozen, messageOf, within, wrong } from "../say.ts";
import { kindOf } from "./answered.ts";

/** A conversation in which nothing was said and nothing runs. */
const quiet: ConversationControl = Object.freeze({
  session: "cli:test",
  begin: async () => undefined,
  resume: async () => false,
  sessions: async () => [],
  compact: async () => false,
  rewind: async () => false,
  stop: async () => false,
  model: async () => ({ provider: undefined, model: undefined }),
  useModel: async () => {},
  tools: async () => [],
  questions: async () => [],
  decide: async () => "unknown" as const,
});

/** What every word behind a slash must do. */
export function chatCommandCases(command: ChatCommand, patienceMs: number): readonly ContractCase[] {
  const who = `The chat command ${command.name}`;
  const cure = "answer the text that the person is told, at once, or throw a coded error";
  return cases({
    "a chat command answers text, whatever stands behind it": async () => {
      for (const args of ["", "none such", `"${"x".repeat(5_000)}`]) {
        const run = {
          args,
          user: "cli:test",
          trust: "owner",
          conversation: quiet,
          commands: [command],
        } as const;
        const late = wrong(who, `did not answer in ${patienceMs} ms`, cure);
        const text: unknown = await within(patienceMs, late, async () =>
          command.run(Object.freeze(run)),
        ).catch((error: unknown) => {
          if (error === late) throw error;
          if (error instanceof GantryError) return "";
          throw wrong(who, `threw without a code (${messageOf(error)})`, cure);
        });
        if (typeof text !== "string") throw wrong(who, `answered ${kindOf(text)}`, cure);
      }
    },
  });
}

const bodies = ["body", "text", "bytes", "events"] as const;

/** Says what is wrong with a reply, as in "answered %s"; undefined where it is right. Of events the first is read. */
async function wrongReply(reply: unknown, patienceMs: number): Promise<string | undefined> {
  const { status, headers, ...rest } = Object(reply) as Record<string, unknown>;
  if (!Number.isInteger(status) || (status as number) < 200 || (status as number) > 599)
    return `${kindOf(reply)} with status ${JSON.stringify(status)}`;
  if (Object.values(Object(headers) as object).some((value) => typeof value !== "string"))
    return "a header that is no text";
  const given = bodies.filter((body) => body in rest);
  if (given.length !== 1)
    return given.length === 0 ? "nothing but a status" : `${given.join(" and ")} at once`;
  if ("text" in rest && typeof rest["text"] !== "string") return `${kindOf(rest["text"])} as text`;
  if ("bytes" in rest && !(rest["bytes"] instanceof Uint8Array)) return `${kindOf(rest["bytes"])} as bytes`;
  return "events" in rest ? wrongEvents(rest["events"], patienceMs) : undefined;
}

/** Where nothing happens, none comes, which is right. */
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

/** What every route must do that only reads and asks for nothing of its own: the others are left alone, as they may act. */
export function routeCases(route: Route, patienceMs: number): readonly ContractCase[] {
  if (route.method !== "GET" || route.auth !== "token") return [];
  const who = `The route ${route.name}`;
  const cure = "answer { status } with one of body, text, bytes and events, or throw a coded error";
  return cases({
    "a route that reads answers a status with one body": async () => {
      const stop = new AbortController();
      const params = [...route.path.matchAll(/:([^/]+)/g)].map(([, name = ""]) => [name, "none-such"]);
      const request = {
        id: "req-test",
        params: Object.fromEntries(params) as Record<string, string>,
        query: {},
        headers: {},
        peer: "127.0.0.1",
        device: "test",
        body: undefined,
      };
      const given = { ...frozen(request), rawBody: new Uint8Array(), signal: stop.signal };
      const late = wrong(who, `did not answer in ${patienceMs} ms`, "end by its signal, and answer sooner");
      const ask = async (): Promise<string | undefined> => {
        try {
          return await wrongReply(await route.handle(given), patienceMs);
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
    },
  });
}
