import type { OpenProcess } from "@gantry/sdk";
import {
  deserializeMessage,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { errors } from "./errors.ts";
import { Lines } from "./lines.ts";

/** A message may hold a picture as large as the model may be shown, as base64. */
export const MAX_LINE = 8 * 1024 * 1024;
const MAX_WORDS = 500;

/**
 * Speaks with a server that the sandbox has started: the official client's own way of starting one
 * has no walls.
 */
export class ProcessTransport implements Transport {
  readonly #process: OpenProcess;
  #lastWords = "";
  /**
   * By these two the client knows a pipe, on which silence says that the server is of the earlier
   * era.
   */
  readonly stderr: null = null;
  readonly pid: null = null;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  constructor(process: OpenProcess) {
    this.#process = process;
  }

  /** The end of what the server wrote to stderr. */
  get lastWords(): string {
    return this.#lastWords.trim();
  }

  start(): Promise<void> {
    const { stdin, stdout, stderr, ended } = this.#process;
    const received = new Lines(MAX_LINE);
    stdout.on("data", (chunk: Buffer) => {
      const lines = received.take(chunk);
      if (lines) return lines.forEach((line) => this.#read(line));
      // It is not listened to any longer.
      stdout.removeAllListeners("data").resume();
      this.onerror?.(errors.MCP_LINE(MAX_LINE));
      void this.close();
    });
    // Output that nobody reads makes the process wait.
    stderr.on("data", (chunk: Buffer) => {
      this.#lastWords = `${this.#lastWords}${chunk.subarray(-MAX_WORDS).toString()}`.slice(-MAX_WORDS);
    });
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

  /** Reads a message. Programs also print to stdout what is not a message; nobody reads it. */
  #read(line: string): void {
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch {
      return;
    }
    this.onmessage?.(message);
  }
}
