import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request to the server. */
export interface VoiceCall {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
}

export const ogg = new Uint8Array([...Buffer.from("OggS"), 0, 2, 7, 7]);

/** A strict server of audio/transcriptions and audio/speech on loopback. */
export class VoiceServerForTests implements AsyncDisposable {
  readonly calls: VoiceCall[] = [];
  /**
   * The answer to the next call, in place of the right one; a function that does nothing leaves it
   * open.
   */
  next: ((response: ServerResponse) => void) | undefined;
  heard = "buy milk";
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  static async start(): Promise<VoiceServerForTests> {
    const server = new VoiceServerForTests();
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const fields = await fieldsOf(request, Buffer.concat(pieces));
    const { authorization } = request.headers;
    this.calls.push({ path: request.url ?? "", authorization, fields });
    const { next } = this;
    this.next = undefined;
    if (next) return next(response);
    if (request.url === "/v1/audio/transcriptions") return this.#transcribe(fields, response);
    if (request.url === "/v1/audio/speech") return speak(fields, response);
    response.writeHead(404).end("no such route");
  }

  #transcribe({ file, model }: VoiceCall["fields"], response: ServerResponse): void {
    const isRight = file instanceof File && /\.(?:ogg|mp3|m4a|wav|webm|flac)$/.test(file.name);
    if (!isRight || typeof model !== "string") return refuse(response, "file or model is missing");
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ text: ` ${this.heard}\n` }));
  }
}

function speak(
  { model, voice, input, response_format }: VoiceCall["fields"],
  response: ServerResponse,
): void {
  const isRight = [model, voice, input].every((field) => typeof field === "string" && field !== "");
  if (!isRight || String(input).length > 4_096) return refuse(response, "model, voice or input is wrong");
  const isOpus = response_format === "opus";
  response.writeHead(200, { "content-type": isOpus ? "audio/ogg" : "audio/mpeg" });
  response.end(isOpus ? ogg : Buffer.from("ID3"));
}

function refuse(response: ServerResponse, message: string): void {
  response.writeHead(400, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { message } }));
}

async function fieldsOf({ headers }: IncomingMessage, body: Buffer): Promise<VoiceCall["fields"]> {
  const type = headers["content-type"] ?? "";
  if (type.startsWith("application/json")) return JSON.parse(body.toString()) as VoiceCall["fields"];
  return Object.fromEntries(
    await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData(),
  );
}
