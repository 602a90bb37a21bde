import type { OpenProcess } from "@gantry/sdk";
import {
  ReadBuffer,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/client";

/**
 * Speaks with a server that the sandbox has started: the official client's own way of starting one
 * has no walls.
 */
export class ProcessTransport implements Transport {
  readonly #process: OpenProcess;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  constructor(process: OpenProcess) {
    this.#process = process;
  }

  start(): Promise<void> {
    const { stdin, stdout, stderr, ended } = this.#process;
    const received = new ReadBuffer();
    stdout.on("data", (chunk: Buffer) => {
      try {
        received.append(chunk);
        for (let message; (message = received.readMessage()) !== null;) this.onmessage?.(message);
      } catch (error) {
        // A server that does not keep to the protocol is not listened to any longer.
        this.onerror?.(error as Error);
        void this.close();
      }
    });
    // A pipe that nobody reads makes the process wait.
    stderr.resume();
    stdin.on("error", (error) => this.onerror?.(error));
    void ended.then(() => this.onclose?.());
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#process;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    return promise;
  }

  async close(): Promise<void> {
    await this.#process.close();
  }
}
