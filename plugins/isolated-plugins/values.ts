import { GantryError } from "@gantry/sdk";
import { webResponse } from "@gantry/sdk/node";

export type Work = (...args: readonly unknown[]) => unknown;

/** The side of a channel on which values stand: what is alive in them crosses as a number. */
export interface Living {
  give(work: Work): number;
  giveSignal(signal: AbortSignal): number;
  takeWork(id: number): Work;
  takeSignal(id: number): AbortSignal;
}

/** A value in JSON, with the bytes that it names. */
export interface Packed {
  readonly tree: unknown;
  readonly bytes: Uint8Array;
}

/** Deeper values go in circles. */
const MAX_DEPTH = 64;
/** A plain object with this key is none: it stands for something that JSON does not have. */
const MARK = "$";

/** Packs one value. Throws a TypeError for what cannot cross. */
export function pack(value: unknown, living: Living): Packed {
  const pieces: Uint8Array[] = [];
  const tree = new Packing(living, pieces).pack(value, 0);
  return { tree, bytes: pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces) };
}

class Packing {
  readonly #living: Living;
  readonly #pieces: Uint8Array[];
  #length = 0;

  constructor(living: Living, pieces: Uint8Array[]) {
    this.#living = living;
    this.#pieces = pieces;
  }

  pack(value: unknown, depth: number): unknown {
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        return Number.isFinite(value) ? value : marked("number", String(value));
      case "undefined":
        return marked("undefined");
      case "bigint":
        return marked("bigint", String(value));
      case "function":
        return marked("work", this.#living.give(value as Work));
      case "object":
        return value === null ? null : this.#packObject(value, depth);
      default:
        throw new TypeError(`a ${typeof value} cannot leave its process`);
    }
  }

  #packObject(value: object, depth: number): unknown {
    if (depth > MAX_DEPTH) throw new TypeError("a value that goes in circles cannot leave its process");
    const inner = (one: unknown): unknown => this.pack(one, depth + 1);
    if (Array.isArray(value)) return value.map(inner);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
      const known = this.#packKnown(value, inner);
      if (known !== undefined) return known;
    }
    const packed: Record<string, unknown> = {};
    for (const [key, one] of membersOf(value)) put(packed, key, inner(one));
    return Object.hasOwn(packed, MARK) ? marked("object", packed) : packed;
  }

  #packKnown(value: object, inner: (one: unknown) => unknown): unknown {
    if (value instanceof Uint8Array) return this.#packBytes(value);
    if (value instanceof Error) return marked("error", packError(value));
    if (value instanceof AbortSignal) return marked("signal", this.#living.giveSignal(value));
    if (value instanceof Date) return marked("date", value.getTime());
    if (value instanceof URL) return marked("url", value.href);
    if (value instanceof RegExp) return marked("pattern", [value.source, value.flags]);
    if (value instanceof Map) return marked("map", [...value].map(inner));
    if (value instanceof Set) return marked("set", [...value].map(inner));
    if (value instanceof Promise)
      return marked(
        "promise",
        this.#living.give(() => value),
      );
    if (value instanceof URLSearchParams) return marked("query", value.toString());
    if (isResponse(value)) return marked("response", packResponse(value, inner));
    if (!(Symbol.asyncIterator in value)) return undefined;
    return marked("items", this.#living.give(reader(value as AsyncIterable<unknown>)));
  }

  #packBytes(value: Uint8Array): unknown {
    this.#pieces.push(value);
    this.#length += value.length;
    return marked("bytes", [this.#length - value.length, value.length]);
  }
}

/** Tells answers of the host's own making too, which are of another class. */
function isResponse(value: object): value is Response {
  return Object.prototype.toString.call(value) === "[object Response]";
}

async function* nothing(): AsyncGenerator<never> {}

function packResponse(response: Response, inner: (one: unknown) => unknown): object {
  const { status, headers, url } = response;
  const lists = Map.groupBy(headers, ([name]) => name);
  const told = [...lists].map(([name, all]) => [name, all.map(([, text]) => text)]);
  const pieces = response as unknown as Partial<AsyncIterable<Uint8Array>>;
  const body = Symbol.asyncIterator in pieces ? reader(pieces as AsyncIterable<unknown>) : undefined;
  return {
    status,
    headers: Object.fromEntries(told),
    url,
    body: inner(body ?? reader(response.body ?? nothing())),
  };
}

/** Returns own members, and those that a class gives, with functions that know their object. */
function* membersOf(value: object): Generator<readonly [string, unknown]> {
  const seen = new Set<string>(["constructor"]);
  for (let at: object | null = value; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const [key, described] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (seen.has(key) || (at === value && !described.enumerable)) continue;
      seen.add(key);
      const member: unknown = described.get ? described.get.call(value) : described.value;
      yield [key, typeof member === "function" ? (member as Work).bind(value) : member];
    }
  }
}

function reader(items: AsyncIterable<unknown>): Work {
  let open: AsyncIterator<unknown> | undefined;
  return async (step) => {
    open ??= items[Symbol.asyncIterator]();
    return step === "end" ? open.return?.() : open.next();
  };
}

interface PackedError {
  readonly message: string;
  readonly name: string;
  readonly code?: string;
  readonly exit?: GantryError["exit"];
  readonly status?: number;
}

export function packError(error: Error): PackedError {
  const { code, exit, status } = error as Partial<GantryError>;
  return {
    message: error.message,
    name: error.name,
    ...(typeof code === "string" && { code }),
    ...(error instanceof GantryError && { exit: exit!, ...(status !== undefined && { status }) }),
  };
}

const exits: readonly unknown[] = [1, 2, 3];

/** Returns the error that the other side threw. Throws a TypeError if it is none. */
export function unpackError(packed: unknown): Error {
  const { message, name, code, exit, status } = (packed ?? {}) as Partial<PackedError>;
  if (typeof message !== "string" || typeof name !== "string") throw new TypeError("no error");
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
  bigint: (text: string) => BigInt(text),
  work: (id: number, { living }: Unpacking) => living.takeWork(id),
  signal: (id: number, { living }: Unpacking) => living.takeSignal(id),
  promise: (id: number, { living }: Unpacking) => living.takeWork(id)(),
  items: (id: number, { living }: Unpacking) => itemsOf(living.takeWork(id)),
  error: (packed: unknown) => unpackError(packed),
  date: (time: number) => new Date(time),
  url: (href: string) => new URL(href),
  query: (text: string) => new URLSearchParams(text),
  pattern: ([source, flags]: readonly [string, string]) => new RegExp(source, flags),
  map: (entries: readonly unknown[], { inner }: Unpacking) =>
    new Map(entries.map(inner) as (readonly [unknown, unknown])[]),
  set: (values: readonly unknown[], { inner }: Unpacking) => new Set(values.map(inner)),
  // A copy, since the frame that it came in holds all other bytes too.
  bytes: ([at, length]: readonly [number, number], { bytes }: Unpacking) =>
    Uint8Array.from(bytes.subarray(at, at + length)),
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

function marked(kind: string, given?: unknown): object {
  return { [MARK]: [kind, given] };
}

/** Sets a member of any name, also one that an object has from its prototype. */
function put(value: object, key: string, member: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(value, key, { value: member, enumerable: true, writable: true });
  else (value as Record<string, unknown>)[key] = member;
}
