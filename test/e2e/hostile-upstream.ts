import type { IncomingMessage, ServerResponse } from "node:http";
import { Loopback } from "./loopback.ts";

/**
 * The way in which every request fails. `said` answers well, with the credential in the text;
 * `call` asks for a tool with the credential in its arguments.
 */
export type Mode =
  | "said"
  | "call"
  | "400"
  | "401"
  | "403"
  | "404"
  | "429"
  | "500"
  | "malformed"
  | "broken"
  | "late"
  | "dropped";

/**
 * A model server, token server, platform and proxy in one that gives back, in every answer, all
 * that it was sent.
 */
export class HostileUpstream extends Loopback {
  mode: Mode = "401";
  /** Everything that came, as text: the request line, the headers, the body. */
  seen = "";
  /** Bodies of the channel's replies. */
  readonly replies: string[] = [];

  override async start(): Promise<string> {
    this.server.on("connect", (request, socket) => {
      const echo = this.#note(request, "");
      socket.on("error", () => {});
      socket.end(
        `HTTP/1.1 407 ${echo.replace(/[^\x20-\x7e]/g, " ")}\r\nProxy-Authenticate: Basic\r\n\r\n${echo}`,
      );
    });
    return super.start();
  }

  #note(request: IncomingMessage, body: string): string {
    const basic =
      /^Basic (.*)$/.exec(
        request.headers.authorization ?? request.headers["proxy-authorization"] ?? "",
      )?.[1] ?? "";
    const plain = Buffer.from(basic, "base64").toString();
    const query = decodeURIComponent(request.url ?? "");
    const echo = [
      request.method,
      request.url,
      query,
      plain,
      JSON.stringify(request.headers),
      body.slice(-2_000),
    ].join(" ");
    this.seen += `${echo}\n`;
    return echo;
  }

  protected answer(request: IncomingMessage, body: string, response: ServerResponse): void {
    const echo = this.#note(request, body.includes("refresh_token") ? body : "");
    const url = request.url ?? "";
    const status = Number(this.mode);
    response.setHeader("x-echo", encodeURIComponent(echo.slice(0, 4_000)));
    if (url.includes("/v18.0/")) {
      if (request.method === "POST") this.replies.push(body);
      return void json(response, 401, { error: { message: `bad token in ${echo}`, type: "OAuthException" } });
    }
    if (url.startsWith("/token")) {
      if (this.mode === "said")
        return void json(response, 200, {
          access_token: `new-${this.secretOf("refreshed")}`,
          expires_in: 3_600,
        });
      return void json(response, 400, { error: "invalid_grant", error_description: echo });
    }
    if (url.includes("loadCodeAssist"))
      return void json(response, 200, { cloudaicompanionProject: "project" });
    if (status)
      return void json(response, status, {
        error: { message: echo, code: status, status: echo, details: [echo] },
        echo,
      });
    if (this.mode === "dropped") return void request.socket.destroy();
    if (this.mode === "malformed") return void response.end(`not JSON: ${echo}`);
    if (this.mode === "late") return void (url.includes("/late") || json(response, 500, echo));
    response.setHeader("content-type", "text/event-stream");
    if (this.mode === "broken")
      return void response.end(
        `data: {"error":{"message":${JSON.stringify(echo)}}}\n\ndata: {"choices":[{${echo}\n\n`,
      );
    const key = /Bearer ([^"\\ ]+)/.exec(echo)?.[1] ?? "none";
    const calls = [
      {
        index: 0,
        id: "c1",
        type: "function",
        function: { name: "shell", arguments: JSON.stringify({ command: `echo ${key}` }) },
      },
    ];
    const asked = this.mode === "call" && !body.includes('"role":"tool"');
    const delta = asked ? { tool_calls: calls } : { content: `You sent ${echo}.` };
    response.write(
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: asked ? "tool_calls" : "stop" }] })}\n\n`,
    );
    response.end("data: [DONE]\n\n");
  }

  /** Set by the test: the canary of that name. */
  secretOf: (name: string) => string = (name) => name;
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
