import { type TProperties, type TSchema, Type } from "typebox";
import { Value } from "typebox/value";
import type { Room } from "../../shared/frames.ts";
import type { Built, Request, Results } from "../messages.ts";

type Kind = Request["do"];

const MB = 1024 * 1024;
/** Most bytes of a message of any kind. */
const PLAIN_BYTES = MB;
/** Most bytes of its request that a message may repeat, at most twice. */
const ECHOED_BYTES = 16 * MB;
/** Most bytes of a list or a search result. */
const LONGEST_BYTES = 64 * MB;
/** Most bytes, as JSON, of one byte of output, of one name and of one line that was found. */
const [ESCAPED_BYTES, NAME_BYTES, LINE_BYTES] = [6, 2_048, 2_560];
/** Most lines found in all files. */
const MOST_LINES = 10_000;

const closed = (properties: TProperties) => Type.Object(properties, { additionalProperties: false });
const text = Type.String();
const texts = Type.Array(text);
const count = Type.Integer({ minimum: 0 });
const flag = Type.Boolean();
const bytes = Type.Number({ minimum: 0 });
const oneOf = (...words: readonly string[]) => Type.Union(words.map((word) => Type.Literal(word)));

/** Makes the schemas of all that a confined process may say. */
function makeFrames() {
  const entry = closed({ name: text, kind: oneOf("file", "directory", "link", "other"), bytes });
  const line = closed({ line: count, text, holds: flag });

  const results: Readonly<Record<Kind, TSchema>> = {
    run: closed({
      exitCode: Type.Union([Type.Integer(), Type.Null()]),
      signal: Type.Union([text, Type.Null()]),
      timedOut: flag,
      stdout: text,
      stderr: text,
      droppedBytes: count,
      findings: texts,
    }),
    move: closed({ errno: Type.Integer({ minimum: 0, maximum: 4_095 }) }),
    read: closed({ bytes }),
    write: closed({ existed: flag, kept: flag }),
    list: closed({ entries: Type.Array(entry), more: flag }),
    search: closed({
      found: Type.Array(closed({ path: text, lines: Type.Array(line), more: flag })),
      searched: count,
    }),
  };
  const fault = Type.Union([
    closed({
      fault: oneOf("outside", "missing", "changed", "secret", "guarded", "full"),
      path: text,
    }),
    closed({ fault: oneOf("failed"), path: text, verb: text, reason: text }),
    closed({ fault: oneOf("not started", "unseen"), path: text, reason: text }),
    closed({ fault: oneOf("pattern"), pattern: text, reason: text }),
    closed({ fault: oneOf("stale") }),
  ]);
  const id = Type.Integer();
  const answers = Object.entries(results).map(([kind, value]) => [kind, closed({ id, value })] as const);

  return {
    up: closed({ up: Type.Literal(true) }),
    absent: closed({ absent: text }),
    built: closed({
      built: closed({
        abi: count,
        listener: count,
        masks: count,
        processes: flag,
        unseen: Type.Optional(closed({ path: text, reason: text })),
        noViews: Type.Optional(text),
      }),
    }),
    started: closed({ id, started: Type.Literal(true) }),
    fault: closed({ id, fault }),
    value: new Map<string, TSchema>(answers),
  };
}

let made: ReturnType<typeof makeFrames> | undefined;
/** Returns the schemas, made with the first message: a service that starts nothing does without. */
const frames = (): ReturnType<typeof makeFrames> => (made ??= makeFrames());

/** A message about a start. */
export type OfStart = { readonly up: true } | { readonly absent: string } | { readonly built: Built };

/** Returns a message of a process that starts; undefined if it is invalid, or not the next one. */
export function ofStart(message: unknown, isUp: boolean): OfStart | undefined {
  const allowed = isUp ? [frames().built, frames().absent] : [frames().up];
  return allowed.some((schema) => Value.Check(schema, message)) ? (message as OfStart) : undefined;
}

export const startRoom: Room = { text: PLAIN_BYTES, data: 0 };

/** Returns the room for an answer. `sent`: bytes of the request as JSON. */
export function roomFor(request: Request, sent: number): Room {
  const plain = PLAIN_BYTES + Math.min(2 * sent, ECHOED_BYTES);
  switch (request.do) {
    case "run":
      return { text: plain + ESCAPED_BYTES * request.maxOutputBytes, data: 0 };
    case "read":
      return { text: plain, data: request.maxBytes };
    case "write":
      return { text: plain, data: request.keepBytes ?? 0 };
    case "list":
      return { text: Math.min(plain + NAME_BYTES * request.limit, LONGEST_BYTES), data: 0 };
    case "search": {
      const lines = Math.min(request.limit * request.files.length, MOST_LINES);
      const around = 1 + 2 * (request.context ?? 0);
      return { text: Math.min(plain + LINE_BYTES * lines * around, LONGEST_BYTES), data: 0 };
    }
    default:
      return { text: plain, data: 0 };
  }
}

export const isStarted = (message: unknown): boolean => Value.Check(frames().started, message);

export const isFault = (message: unknown): boolean => Value.Check(frames().fault, message);

/** Returns the result of this request that a message holds; undefined if it holds none. */
export function valueOf(request: Request, message: unknown, data: Uint8Array): Results[Kind] | undefined {
  if (!Value.Check(frames().value.get(request.do)!, message)) return undefined;
  const { value } = message as { readonly value: Results[Kind] };
  return isOf(request, value, data.length) ? value : undefined;
}

/** Returns true if the result says no more than was asked for. */
function isOf(request: Request, value: unknown, data: number): boolean {
  switch (request.do) {
    case "read":
      return data <= Math.min(request.maxBytes, (value as Results["read"]).bytes);
    case "write":
      return data <= ((value as Results["write"]).kept ? (request.keepBytes ?? 0) : 0);
    case "run": {
      const { stdout, stderr } = value as Results["run"];
      return data === 0 && stdout.length + stderr.length <= request.maxOutputBytes;
    }
    case "list": {
      const { entries } = value as Results["list"];
      return data === 0 && entries.length <= request.limit && entries.every(({ name }) => isName(name));
    }
    case "search": {
      const [files, { found }] = [new Set(request.files), value as Results["search"]];
      return data === 0 && found.every((one) => files.delete(one.path));
    }
    default:
      return data === 0;
  }
}

const isName = (name: string): boolean =>
  !/[/\0]/.test(name) && name.length <= 255 && !["", ".", ".."].includes(name);
