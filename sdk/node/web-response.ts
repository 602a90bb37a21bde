/** What came back of a request, before it is a `Response`. */
export interface ResponseFacts {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** After redirects. */
  readonly url: string;
  /** Read once, and only as far as somebody wants it. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** These have no body, whatever a server sends. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

/** The web's own `Response` of it; what the body throws is thrown to whoever reads it. */
export function webResponse({ status, headers, url, body }: ResponseFacts): Response {
  const list = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  // A server may answer with a number that the class does not know.
  const isKnown = status >= 200 && status <= 599;
  const stream = bodiless.has(status) ? null : ReadableStream.from(body);
  const response = new Response(stream, { status: isKnown ? status : 500, headers: list });
  Object.defineProperty(response, "url", { value: url });
  if (!isKnown) Object.defineProperty(response, "status", { value: status });
  return response;
}
