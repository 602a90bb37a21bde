import { GantryError, isWithoutAnswer } from "@gantry/sdk";
import { type Living, MARK, type Packed, type PackedError, put, type Work } from "./values.ts";

/** Deeper values go in circles. */
const MAX_DEPTH = 64;

/**
 * Packs one value. `above`: takes the functions that are the value itself or stand right in it.
 * Throws a TypeError for what cannot cross.
 */
export function pack(value: unknown, living: Living, above: Living = living): Packed {
  const pieces: Uint8Array[] = [];
  const tree = new Packing(living, above, pieces).pack(value, 0);
  return { tree, bytes: pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces) };
}

class Packing {
  readonly #living: Living;
  readonly #above: Living;
  readonly #pieces: Uint8Array[];
  #length = 0;

  constructor(living: Living, above: Living, pieces: Uint8Array[]) {
    this.#above = above;
    this.#living = living;
    this.#pieces = pieces;
  }

  pack(value: unknown, depth: number): unknown {
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        if (Number.isFinite(value) && !Object.is(value, -0)) return value;
        return marked("number", Object.is(value, -0) ? "-0" : String(value));
      case "undefined":
        return marked("undefined");
      case "function":
        return marked("work", (depth > 1 ? this.#living : this.#above).give(value as Work));
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
  const seen = new Set<string>();
  for (let at: object | null = value; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const [key, described] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      const isOwn = at === value;
      if (seen.has(key) || (isOwn ? !described.enumerable : key === "constructor")) continue;
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

export function packError(error: Error): PackedError {
  const { code, exit, status } = error as Partial<GantryError>;
  return {
    message: error.message,
    name: error.name,
    ...(typeof code === "string" && { code }),
    ...(isWithoutAnswer(error) && { unanswered: true }),
    ...(error instanceof GantryError && { exit: exit!, ...(status !== undefined && { status }) }),
  };
}

function marked(kind: string, given?: unknown): object {
  return { [MARK]: [kind, given] };
}
