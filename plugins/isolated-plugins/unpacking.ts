import { GantryError, withoutAnswer } from "@gantry/sdk";
import { webResponse } from "@gantry/sdk/node";
import { type Living, MARK, type Packed, type PackedError, put, type Work } from "./values.ts";

const exits: readonly unknown[] = [1, 2, 3];

/** Returns the error that the other side threw. Throws a TypeError if it is none. */
export function unpackError(packed: unknown): Error {
  const { message, name, unanswered, ...row } = (packed ?? {}) as Partial<PackedError>;
  if (typeof message !== "string" || typeof name !== "string") throw new TypeError("no error");
  const error = rebuilt(message, name, row);
  return unanswered === true ? withoutAnswer(error) : error;
}

function rebuilt(message: string, name: string, { code, exit, status }: Partial<PackedError>): Error {
  if (typeof code === "string" && exits.includes(exit)) {
    const row = { text: "%s", exit: exit!, ...(Number.isInteger(status) && { status: status! }) };
    return new GantryError(code, row, [message]);
  }
  const error = Object.assign(new Error(message), typeof code === "string" && { code });
  return Object.defineProperty(error, "name", { value: name });
}

/** Unpacks a value that the other side has packed. Throws a TypeError for anything else. */
export function unpack({ tree, bytes }: Packed, living: Living): unknown {
  const inner = (node: unknown): unknown => {
    if (typeof node !== "object" || node === null) return node;
    if (Array.isArray(node)) return node.map(inner);
    if (Object.hasOwn(node, MARK)) return unpackMarked((node as { [MARK]: unknown })[MARK]);
    return unpackMembers(node);
  };
  const unpackMembers = (node: object): object => {
    const value = {};
    for (const [key, one] of Object.entries(node)) put(value, key, inner(one));
    return value;
  };
  const unpackMarked = (mark: unknown): unknown => {
    const [kind, given] = mark as readonly [keyof typeof unpackers | "object", unknown];
    if (kind === "object") return unpackMembers(given as object);
    if (!Object.hasOwn(unpackers, kind)) throw new TypeError("a mark that nobody knows");
    return unpackers[kind](given as never, { living, bytes, inner });
  };
  return inner(tree);
}

interface Unpacking {
  readonly living: Living;
  readonly bytes: Uint8Array;
  inner(node: unknown): unknown;
}

const unpackers = {
  undefined: () => undefined,
  number: (text: string) => Number(text),
  work: (id: number, { living }: Unpacking) => living.takeWork(id),
  signal: (id: number, { living }: Unpacking) => living.takeSignal(id),
  promise: (id: number, { living }: Unpacking) => living.takeWork(id)(),
  items: (id: number, { living }: Unpacking) => itemsOf(living.takeWork(id)),
  error: (packed: unknown) => unpackError(packed),
  date: (time: number) => new Date(time),
  url: (href: string) => new URL(href),
  query: (text: string) => new URLSearchParams(text),
  map: (entries: readonly unknown[], { inner }: Unpacking) =>
    new Map(entries.map(inner) as (readonly [unknown, unknown])[]),
  set: (values: readonly unknown[], { inner }: Unpacking) => new Set(values.map(inner)),
  // No copy: many marks may name the same bytes.
  bytes: ([at, length]: readonly [number, number], { bytes }: Unpacking) => bytes.subarray(at, at + length),
  response: (facts: PackedResponse, { inner }: Unpacking) => unpackResponse(facts, inner),
} as const;

interface PackedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly url: string;
  readonly body: unknown;
}

function unpackResponse({ body, ...facts }: PackedResponse, inner: Unpacking["inner"]): Response {
  return webResponse({ ...facts, body: itemsOf(inner(body) as Work) as AsyncIterable<Uint8Array> });
}

/** Returns what the other side gives one after the other. */
function itemsOf(ask: Work): AsyncIterable<unknown> {
  const ended = { done: true, value: undefined } as const;
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => (await ask("next")) as IteratorResult<unknown>,
      return: async () => ((await ask("end")) as IteratorResult<unknown> | undefined) ?? ended,
    }),
  };
}
