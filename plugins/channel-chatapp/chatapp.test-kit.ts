import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Checks, Services, type CheckRow, type Plugin } from "@gantry/sdk";
import {
  fakeProvider,
  memoryStore,
  startTestHost,
  type TestHost,
  type TestHostOptions,
} from "@gantry/sdk/testing";
import { vi } from "vitest";
import gateway from "../gateway-http/index.ts";
import net from "../net-undici/index.ts";
import chatapp from "./index.ts";

export const secret = "app-secret-of-the-tests";
export const accessToken = "EAAaccesstokenofthetests";

export interface GraphCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: any;
  /** The status of the answer. */
  readonly status: number;
}

export interface FakeGraph extends AsyncDisposable {
  readonly url: string;
  readonly calls: readonly GraphCall[];
  /** The ids of the messages that were marked as read. */
  readonly read: readonly string[];
  /** True: the platform marks nothing as read. */
  refusesSigns: boolean;
  /** Resolves once so many calls came. */
  count(count: number): Promise<void>;
  /** The answers to the next calls; after them 200. */
  readonly answers: {
    status: number;
    body?: unknown;
    never?: boolean;
    /** The call is done, and its connection cut. */
    cut?: boolean;
    headers?: Readonly<Record<string, string>>;
  }[];
}

/** The platform's API on loopback. */
export async function startGraph(): Promise<FakeGraph> {
  const calls: GraphCall[] = [];
  const answers: FakeGraph["answers"] = [];
  const read: string[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", async () => {
      const given = await bodyOf(request, Buffer.concat(pieces));
      if (given?.status === "read") {
        if (!graph.refusesSigns) read.push(given.message_id);
        response.writeHead(graph.refusesSigns ? 400 : 200, { "content-type": "application/json" });
        return void response.end(JSON.stringify({ success: !graph.refusesSigns }));
      }
      const {
        status,
        body = replyTo(request),
        never,
        cut,
        headers = {},
      } = answers.shift() ?? { status: 200 };
      calls.push({
        status,
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        body: given,
      });
      if (cut) response.destroy();
      else if (!never)
        response
          .writeHead(status, { "content-type": "application/json", ...headers })
          .end(JSON.stringify(body));
      for (const waiter of waiting) if (calls.length >= waiter.count) waiter.resolve();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const graph: FakeGraph = {
    refusesSigns: false,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    read,
    answers,
    count: (count) =>
      new Promise((resolve) => {
        if (calls.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return graph;
}

/** A call's JSON, or the fields of its form. */
async function bodyOf({ headers }: IncomingMessage, body: Buffer): Promise<any> {
  const type = headers["content-type"] ?? "";
  if (!type.startsWith("multipart/form-data")) return body.length > 0 && JSON.parse(body.toString());
  const response = new Response(new Uint8Array(body), { headers: { "content-type": type } });
  return Object.fromEntries(await response.formData());
}

function replyTo({ url = "" }: IncomingMessage): object {
  return url.endsWith("/media") ? { id: `media-${(counter += 1)}` } : {};
}

export interface TestChatapp extends AsyncDisposable {
  readonly host: TestHost;
  readonly url: string;
  check(name: string): Promise<readonly CheckRow[]>;
  /** Delivers a payload, signed. */
  deliver(payload: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
}

/** The channel behind a real gateway, with everything it needs. */
export async function startChatapp(
  options: {
    readonly graph?: FakeGraph;
    readonly table?: Readonly<Record<string, unknown>>;
    readonly env?: Readonly<Record<string, string>>;
    readonly plugins?: readonly Plugin[];
    /** False: what is accepted is left waiting. */
    readonly workers?: boolean;
  } & Omit<Partial<TestHostOptions>, "plugins"> = {},
): Promise<TestChatapp> {
  const {
    workers = true,
    graph,
    table,
    env = {},
    plugins = [memoryStore(), fakeProvider(["hello there"])],
    ...rest
  } = options;
  for (const [name, value] of Object.entries({ SERVICE_ALLOW_INSECURE_LOOPBACK: "1", ...env }))
    vi.stubEnv(name, value);
  vi.spyOn(process.stderr, "write").mockImplementation(() => true);
  const host = await startTestHost({
    ...rest,
    plugins: [...plugins, net, chatapp, gateway],
    config: {
      gateway: { port: 0 },
      channels_config: {
        chatapp: present({
          access_token: accessToken,
          phone_number_id: "1234567890",
          verify_token: "verify me",
          app_secret: secret,
          allowed_numbers: ["+15551234567"],
          ...table,
        }),
      },
      ...(graph && { endpoints: { graph_url: graph.url } }),
      ...rest.config,
    },
  }).catch((error: unknown) => {
    restore();
    throw error;
  });
  if (workers) await host.serve();
  else await host.slot(Services).get("gateway")!.start();
  restore();
  const url = String(host.logs.find(({ detail }) => "url" in detail)?.detail["url"]);
  return {
    host,
    url,
    check: (name) => host.slot(Checks).get(name)!.run(AbortSignal.timeout(60_000)),
    deliver(payload, headers) {
      const body = typeof payload === "string" ? payload : JSON.stringify(payload);
      return fetch(`${url}/chatapp`, {
        method: "POST",
        body,
        headers: { "content-type": "application/json", "x-hub-signature-256": sign(body), ...headers },
      });
    },
    async [Symbol.asyncDispose]() {
      await host.slot(Services).get("gateway")?.stop(AbortSignal.timeout(1_000));
      await host.stop();
    },
  };
}

/** A key that is undefined does not stand in the file. */
function present(table: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(table).filter(([, value]) => value !== undefined));
}

export function sign(body: string, key: string = secret): string {
  return `sha256=${createHmac("sha256", key).update(body).digest("hex")}`;
}

function restore(): void {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
}

let counter = 0;

/** One message as the platform writes it. */
export function message(
  text: string,
  given: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    from: "15551234567",
    id: `wamid.${(counter += 1)}`,
    timestamp: "1700000000",
    type: "text",
    text: { body: text },
    ...given,
  };
}

/** A delivery with these messages. */
export function delivery(...messages: readonly unknown[]): Record<string, unknown> {
  const value = { messaging_product: "whatsapp", metadata: { phone_number_id: "1234567890" }, messages };
  return {
    object: "whatsapp_business_account",
    entry: [{ id: "1", changes: [{ field: "messages", value }] }],
  };
}
