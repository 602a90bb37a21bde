import { Readable } from "node:stream";

/** The facts of an answer, before it is a `Response`. */
export interface ResponseFacts {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** After redirects. */
  readonly url: string;
  /** Read once, and only as far as somebody wants it. */
  readonly body: AsyncIterable<Uint8Array>;
}

type Stream = ReadableStream<Uint8Array> | null;

/** The statuses of answers that have no body, whatever a server sends. */
export const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

/** The members that the web's class itself answers. */
const members: ReadonlySet<string | symbol> = new Set([
  "arrayBuffer",
  "blob",
  "bytes",
  "clone",
  "formData",
  "json",
  "text",
  "redirected",
  "statusText",
  "type",
  Symbol.toStringTag,
]);

/**
 * Returns the web's own `Response` of it; what the body throws is thrown to whoever reads it. Node
 * loads its classes only once headers, `body` or members of the class are asked for: that is a
 * tenth of a start. A caller who only wants the pieces of the body iterates over the answer itself,
 * once, as a model's answer is read; the body is used then.
 */
export function webResponse({ status, headers, url, body: pieces }: ResponseFacts): Response {
  let stream: Stream | undefined = bodiless.has(status) ? null : undefined;
  let taken = false;
  const streamOf = (): Stream => {
    if (stream === undefined)
      stream = taken ? new ReadableStream({ start: refuse }) : ReadableStream.from(pieces);
    return stream;
  };
  let list: Headers | undefined;
  let made: Response | undefined;
  const facts = {
    status,
    url,
    ok: status >= 200 && status <= 299,
    get headers(): Headers {
      return (list ??= headersOf(headers));
    },
    get body(): Stream {
      return made ? made.body : streamOf();
    },
    get bodyUsed(): boolean {
      return taken || made?.bodyUsed === true || (stream !== undefined && isRead(stream));
    },
    async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
      const source = stream === undefined && !taken ? pieces : facts.body;
      taken = true;
      if (source !== null) yield* source;
    },
  };
  const whole = (): Response => (made ??= responseOf(status, streamOf(), facts.headers));
  return new Proxy(facts as unknown as Response, {
    get(_, key) {
      if (!members.has(key)) return Reflect.get(facts, key);
      const value: unknown = Reflect.get(whole(), key);
      return typeof value === "function" ? value.bind(whole()) : value;
    },
    has: (_, key) => Object.hasOwn(facts, key) || members.has(key),
    getPrototypeOf: () => Response.prototype,
  });
}

function headersOf(headers: ResponseFacts["headers"]): Headers {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  return new Headers(pairs);
}

function responseOf(status: number, stream: Stream, headers: Headers): Response {
  // A server may answer with a number that the class does not know.
  const isKnown = status >= 200 && status <= 599;
  // The class takes no stream of which somebody read, and only who asks it for the body is to be
  // told so.
  const body = isRead(stream) || stream?.locked ? new ReadableStream({ start: refuse }) : stream;
  return new Response(body, { status: isKnown ? status : 500, headers });
}

/** Takes streams of the web too, which its types do not say. */
function isRead(stream: Stream): boolean {
  return stream !== null && Readable.isDisturbed(stream as unknown as Readable);
}

function refuse(controller: ReadableStreamDefaultController<Uint8Array>): void {
  controller.error(new TypeError("Body is unusable: Body has already been read"));
}
