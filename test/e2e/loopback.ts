import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A server on loopback that somebody waits for: each request is answered once its body is there.
 */
export abstract class Loopback {
  #waiting: { enough: () => boolean; resolve: () => void }[] = [];
  protected readonly server: Server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", () => {
      this.answer(request, body, response);
      for (const waiter of this.#waiting.filter(({ enough }) => enough())) waiter.resolve();
    });
  });

  protected abstract answer(request: IncomingMessage, body: string, response: ServerResponse): void;

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  /** Resolves once what came is enough. */
  until(enough: () => boolean): Promise<void> {
    if (enough()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ enough, resolve }));
  }
}
