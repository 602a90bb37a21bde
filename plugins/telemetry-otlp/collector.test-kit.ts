import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly status: { readonly code?: number };
}

export interface OtlpMetric {
  readonly name: string;
  readonly unit: string;
  readonly histogram?: { readonly dataPoints: readonly Readonly<Record<string, unknown>>[] };
  readonly sum?: { readonly dataPoints: readonly Readonly<Record<string, unknown>>[] };
}

/** A collector on loopback that keeps what it is sent. */
export class CollectorForTests {
  readonly requests: { path: string; headers: IncomingMessage["headers"]; body: string }[] = [];
  readonly #server: Server;
  /** Answers in place of 200. */
  next: ((response: ServerResponse) => void) | undefined;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<CollectorForTests> {
    const server = createServer();
    const collector = new CollectorForTests(server);
    server.on("request", (request, response) => void collector.#take(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Each span that was taken. */
  get spans(): readonly OtlpSpan[] {
    return this.#bodies("/v1/traces").flatMap(
      (body) => body.resourceSpans?.flatMap((r) => r.scopeSpans.flatMap((s) => s.spans)) ?? [],
    );
  }

  /** The measurements of the last request that brought some. */
  get metrics(): readonly OtlpMetric[] {
    return (
      this.#bodies("/v1/metrics")
        .at(-1)
        ?.resourceMetrics?.flatMap((r) => r.scopeMetrics.flatMap((s) => s.metrics)) ?? []
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #bodies(path: string): readonly {
    resourceSpans?: { scopeSpans: { spans: OtlpSpan[] }[] }[];
    resourceMetrics?: { scopeMetrics: { metrics: OtlpMetric[] }[] }[];
  }[] {
    return this.requests.filter((one) => one.path === path).map(({ body }) => JSON.parse(body) as object);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const piece of request) body += String(piece);
    const answer = this.next;
    this.next = undefined;
    if (answer) return answer(response);
    this.requests.push({ path: request.url ?? "", headers: request.headers, body });
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  }
}

/** Returns the attributes of a span or point as plain values. */
export function plain(attributes: readonly OtlpAttribute[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
