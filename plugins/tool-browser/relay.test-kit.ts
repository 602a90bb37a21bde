import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

type Fields = Record<string, any>;

export interface Relay extends AsyncDisposable {
  readonly url: string;
}

export interface RelayChanges {
  /** Changes the capabilities that are asked for. */
  asks?(capabilities: Fields): void;
  /** Changes the capabilities that the driver tells. */
  answers?(capabilities: Fields): void;
}

/** A driver that passes everything on to a real one, but for what it changes of new sessions. */
export async function relayDriver(driver: string, { asks, answers }: RelayChanges): Promise<Relay> {
  const server = createServer((request, response) => {
    void (async () => {
      let body = await text(request);
      const isNew = request.method === "POST" && request.url === "/session";
      if (isNew) {
        const wanted = JSON.parse(body) as Fields;
        asks?.(wanted["capabilities"].alwaysMatch);
        body = JSON.stringify(wanted);
      }
      const method = request.method!;
      const answer = await fetch(driver + request.url, { method, ...(method === "POST" && { body }) });
      const told = (await answer.json()) as Fields;
      if (isNew && answer.ok) answers?.(told["value"].capabilities);
      response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(told));
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
