import { type TSchema, Type } from "typebox";
import { Value } from "typebox/value";
import { errors } from "./errors.ts";
import type { Work } from "./values.ts";

/** A schema of an argument, or a test of one that no schema describes. */
type Expected = TSchema | ((value: unknown) => boolean);
/** The functions of a slot that are lent, by dotted names, with the arguments that each takes. */
type Functions = Readonly<Record<string, readonly Expected[]>>;

const text = Type.String();
const whole = Type.Integer({ minimum: 0 });
const any = Type.Unknown();
const isSignal = (value: unknown): boolean => value instanceof AbortSignal;
const isBytes = (value: unknown): boolean => value instanceof Uint8Array;
const or = (expected: TSchema): Expected => Type.Union([expected, Type.Undefined()]);
const list = Type.Array;
const facts = (members: Readonly<Record<string, TSchema>>): TSchema => Type.Object(members);

const event = facts({ event_type: text, tool: text, args: Type.Record(text, any), result: text });
const message = facts({
  channel: text,
  id: text,
  timestamp: Type.Number(),
  sender: facts({ id: text }),
  conversation: facts({ id: text, kind: text }),
  parts: list(any),
  trust: text,
});
const approvals = Type.Union([Type.Literal("ask"), Type.Literal("yes"), Type.Literal("none")]);
const decider = facts({ channel: text, user: text });
const request = facts({ url: text });
const window = facts({ ms: Type.Number(), max: Type.Number() });
const sent = facts({
  channel: text,
  conversation: facts({ id: text, kind: text }),
  parts: list(any),
  key: text,
});
const speech = Type.Object({ mime: text });
const run = facts({ argv: list(text), cwd: text, timeoutMs: Type.Number(), maxOutputBytes: whole });
const isContent = (value: unknown): boolean => value === null || typeof value === "string" || isBytes(value);
const memory: Functions = {
  remember: [text, text, any],
  recall: [text, text, whole],
  forget: [text, text],
  prune: [Type.Number(), Type.Number()],
  count: [],
};

/**
 * The slots that a plugin may read from its own process, with all that it may ask there. A function
 * that has to answer at once is not among them.
 */
export const lent: Readonly<Record<string, Functions>> = {
  approvals: { pending: [or(decider)], decide: [text, text, decider, or(text)], ended: [text, decider] },
  audit: { record: [event], recordStranger: [event] },
  inbox: {
    receive: [list(message)],
    prompt: [message, facts({ approvals })],
    call: [message, facts({ approvals, tool: text, args: Type.Record(text, any) })],
  },
  media: { put: [isBytes, facts({ mime: text })], open: [text] },
  memory: { ...memory, erase: [text] },
  meters: {
    count: [text, any, any],
    observe: [text, Type.Number(), any],
    set: [text, Type.Number(), any],
  },
  net: { check: [text], fetch: [request] },
  outbox: { send: [sent] },
  pages: { read: [text, isSignal] },
  policy: { explain: [text, Type.Record(text, any), text], enforcement: [] },
  providers: { resolve: [or(text), or(text)] },
  runtime: { absent: [] },
  speaker: { speak: [text, isSignal] },
  store: {
    "sessions.access": [text],
    "sessions.open": [text, text],
    "sessions.share": [text, text],
    "sessions.unshare": [text, text],
    "sessions.append": [text, list(any), any],
    "sessions.view": [text, whole],
    "sessions.compact": [text, whole, list(any)],
    "sessions.rewind": [text],
    "sessions.rename": [text, text],
    "sessions.recent": [text, whole],
    "sessions.list": [whole],
    "sessions.page": [facts({ limit: whole })],
    "sessions.remove": [text],
    ...Object.fromEntries(Object.entries(memory).map(([name, takes]) => [`memory.${name}`, takes])),
    "lanes.stats": [],
    "lanes.waits": [],
    "lanes.page": [text, whole, any],
    "lanes.read": [whole],
    "lanes.putBack": [whole],
    "lanes.drop": [whole, any],
    "limits.hit": [text, list(window)],
    "limits.count": [text, Type.Number()],
    "values.get": [text, text],
    "values.put": [text, text, any, any],
    "values.add": [text, text, any, any],
    "values.take": [text, text],
    "values.remove": [text, text],
    "values.removeIf": [text, text, any],
    "values.list": [text, facts({ limit: whole })],
    "usage.add": [facts({ at: Type.Number(), user: text, session: text, purpose: text, provider: text })],
    "usage.sum": [text, Type.Number(), or(text)],
    erase: [text],
  },
  sandbox: {
    policy: [],
    run: [run],
    tryRun: [run, facts({ key: text, waitMs: Type.Number() })],
    "files.read": [text, whole, isSignal],
    "files.write": [text, isContent, isSignal, any],
    "files.list": [text, whole, isSignal],
    "files.search": [
      facts({ files: list(text), pattern: text, limit: whole, maxFileBytes: whole }),
      isSignal,
    ],
  },
  "tool-catalog": { list: [] },
  transcriber: { transcribe: [speech, isSignal] },
  upstream: { fetch: [request], webSocket: [text, Type.Record(text, text), isSignal] },
};

/**
 * Returns the value of a slot for a plugin in its own process: its facts, and the functions that
 * are lent, which throw `ISOLATED_ARGUMENTS`.
 */
export function lend(plugin: string, id: string, filled: object): object {
  const value: Record<string, unknown> = factsOf(filled);
  // The address of a module of the service; what parses in there has the walls of its process.
  delete value["confining"];
  for (const [path, takes] of Object.entries(lent[id]!)) {
    const names = path.split(".");
    const last = names.pop()!;
    const owner = names.reduce<object>((at, name) => at[name as never] as object, filled);
    const work = (owner as Readonly<Record<string, unknown>>)[last];
    if (typeof work !== "function") continue;
    const at = names.reduce((around, name) => (around[name] ??= {}) as Record<string, unknown>, value);
    at[last] = checked(plugin, `${id}.${path}`, takes, (work as Work).bind(owner));
  }
  return value;
}

function checked(plugin: string, name: string, takes: readonly Expected[], work: Work): Work {
  return (...args) => {
    const wrong = takes.findIndex((expected, at) => !fits(expected, args[at]));
    if (wrong >= 0) throw errors.ISOLATED_ARGUMENTS(plugin, name, wrong + 1);
    if (args.length > takes.length) throw errors.ISOLATED_ARGUMENTS(plugin, name, takes.length + 1);
    return work(...args);
  };
}

function fits(expected: Expected, value: unknown): boolean {
  return typeof expected === "function" ? expected(value) : Value.Check(expected, value);
}

/** Returns the members that are neither functions nor hold any. */
function factsOf(filled: object): Record<string, unknown> {
  const isFact = (value: unknown): boolean => {
    if (typeof value === "function") return false;
    if (Object(value) !== value) return true;
    const prototype: unknown = Object.getPrototypeOf(value);
    const isPlain = prototype === Object.prototype || prototype === null || Array.isArray(value);
    return isPlain && Object.values(value as object).every(isFact);
  };
  return Object.fromEntries(Object.entries(filled).filter(([, value]) => isFact(value)));
}
