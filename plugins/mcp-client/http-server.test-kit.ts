import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { onTestFinished } from "vitest";

/** One request as the server got it. */
export interface Got {
  readonly method: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface HttpServer {
  readonly url: string;
  /** `127.0.0.1:<port>` */
  readonly place: string;
  readonly got: readonly Got[];
}

/** Listens on loopback until the test is over. */
export async function listen(
  answer: (got: Got, response: ServerResponse, request: IncomingMessage) => unknown,
): Promise<HttpServer> {
  const got: Got[] = [];
  const server = createServer(async (request, response) => {
    const one = { method: request.method ?? "", headers: request.headers, body: await text(request) };
    got.push(one);
    await answer(one, response, request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `http://${place}/mcp`, place, got };
}

/** The official server, with one tool and more when `add` was called. */
export async function officialServer(
  legacy: "stateless" | "reject",
): Promise<HttpServer & { readonly add: (tool: string) => void; readonly describe: (text: string) => void }> {
  const tools = ["sing"];
  let description = "Sings.";
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: "official", version: "1.0.0" });
      for (const name of tools)
        server.registerTool(name, { description }, async () => ({
          content: [{ type: "text", text: `${name} ran` }],
        }));
      return server;
    },
    { legacy },
  );
  onTestFinished(() => handler.close());
  const http = await listen(async ({ method, headers, body }, response) => {
    const given = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
    const request = new Request(`http://127.0.0.1/mcp`, {
      method,
      headers: given,
      ...(method === "POST" && { body }),
    });
    const answer = await handler.fetch(request);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const piece of answer.body ?? []) response.write(piece);
    response.end();
  });
  const changed = (): void => handler.notify.toolsChanged();
  return {
    ...http,
    add: (tool) => (tools.push(tool), changed()),
    describe: (text) => ((description = text), changed()),
  };
}

/**
 * A server of the revision 2025-11-25 that knows no other; its tool tells who asked. It answers in
 * JSON alone.
 */
export async function earlierServer(): Promise<HttpServer> {
  const listed: Readonly<Record<string, unknown>> = {
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "earlier", version: "1.0.0" },
    },
    "tools/list": { tools: [{ name: "hum", description: "Hums.", inputSchema: { type: "object" } }] },
  };
  return listen(({ method, headers: { authorization: by = "nobody" }, body }, response) => {
    if (method !== "POST") return response.writeHead(405).end();
    const called = { content: [{ type: "text", text: `hum ran for ${by}` }] };
    const results = { ...listed, "tools/call": called };
    const { id, method: asked } = JSON.parse(body) as { readonly id?: number; readonly method: string };
    if (id === undefined) return response.writeHead(202).end();
    const known =
      asked in results
        ? { result: results[asked as keyof typeof results] }
        : { error: { code: -32601, message: "Unknown." } };
    response.writeHead(200, { "content-type": "application/json" });
    return response.end(JSON.stringify({ jsonrpc: "2.0", id, ...known }));
  });
}
