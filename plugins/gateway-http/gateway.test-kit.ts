import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { Commands, Services, type CommandContext, type Plugin } from "@gantry/sdk";
import {
  fakeProvider,
  memoryStore,
  startTestHost,
  type TestHost,
  type TestHostOptions,
} from "@gantry/sdk/testing";
import gateway from "./index.ts";

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: any;
}

interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** A value is sent as JSON, text and bytes as they are. */
  readonly body?: unknown;
  readonly token?: string;
  /** Another address of loopback is another peer. */
  readonly from?: string;
}

export interface TestGateway extends AsyncDisposable {
  readonly host: TestHost;
  readonly url: string;
  readonly port: number;
  /** Sends one request with its path as written. */
  ask(path: string, options?: Ask): Promise<Reply>;
  /** Runs a subcommand: its exit code and its output. */
  word(
    name: string,
    args?: readonly string[],
    options?: CommandContext["options"],
  ): Promise<{ code: number; out: string; err: string }>;
  /** Pairs a device and returns its token. */
  pair(name?: string): Promise<{ token: string; device_id: string }>;
  /** The text that was printed on stderr at the start. */
  readonly printed: string;
  stop(): Promise<void>;
}

/** Starts a real gateway in a real host, on a free port of loopback. */
export async function startGateway(
  options: {
    readonly gateway?: object;
    readonly plugins?: readonly Plugin[];
  } & Partial<TestHostOptions> = {},
): Promise<TestGateway> {
  const { plugins = [memoryStore(), fakeProvider(["hello there"])], gateway: table, ...rest } = options;
  const config = { ...rest.config, gateway: { port: 0, ...table } };
  const host = await startTestHost({ ...rest, plugins: [...plugins, gateway], config });
  let printed = "";
  const write = process.stderr.write;
  process.stderr.write = (text) => {
    printed += String(text);
    return true;
  };
  try {
    await host.serve(["gateway"]);
  } catch (error) {
    await host.stop();
    throw error;
  } finally {
    process.stderr.write = write;
  }
  const url = String(host.logs.find(({ detail }) => "url" in detail)?.detail["url"]);
  const port = Number(new URL(url).port);
  const word: TestGateway["word"] = async (name, args = [], given = {}) => {
    const said = { out: "", err: "" };
    const code = await host
      .slot(Commands)
      .get(name)!
      .run({
        args,
        options: given,
        out: (line) => void (said.out += `${line}\n`),
        err: (line) => void (said.err += `${line}\n`),
        interactive: false,
        signal: new AbortController().signal,
        serve: async () => 0,
      });
    return { code, ...said };
  };
  const stop = async (): Promise<void> => {
    await host.slot(Services).get("gateway")?.stop(AbortSignal.timeout(2_000));
    await host.stop();
  };
  const ask: TestGateway["ask"] = (path, given) => rawRequest(port, path, given);
  return {
    host,
    url,
    port,
    printed,
    ask,
    word,
    async pair(name) {
      const code = (await word("pair new")).out.trim();
      return (await ask("/pair", { body: { code, ...(name && { device_name: name }) } })).json;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Asks with node:http, which sends a path as written; fetch would tidy it up. */
function rawRequest(
  port: number,
  path: string,
  { method, headers, body, token, from }: Ask = {},
): Promise<Reply> {
  const raw =
    body === undefined || typeof body === "string" || body instanceof Uint8Array
      ? body
      : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      host: "127.0.0.1",
      port,
      path,
      method: method ?? (body === undefined ? "GET" : "POST"),
      agent: false,
      ...(from && { localAddress: from }),
      headers: {
        ...(raw !== undefined && {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(raw),
        }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(headers as Record<string, string | string[]>),
      },
    });
    request.on("error", reject).on("response", (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("error", reject).on("end", () => {
        const text = Buffer.concat(pieces).toString();
        const type = response.headers["content-type"] ?? "";
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          json: type.includes("json") && text ? JSON.parse(text) : undefined,
        });
      });
    });
    request.end(raw);
  });
}

/** Sends these bytes and returns all that comes back until the server closes. */
export function rawBytes(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    socket.on("error", reject).on("close", () => resolve(text));
  });
}
