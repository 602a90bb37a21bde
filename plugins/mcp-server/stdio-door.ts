import type { CommandContext, CommandInput } from "@gantry/sdk";
import { scopes } from "@gantry/sdk/fill";
import { asError } from "@gantry/sdk/node";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { parseJSONRPCMessage, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/server";
import { DoorServers } from "./door-server.ts";
import { errors } from "./errors.ts";
import type { DoorNeeds } from "./needs.ts";
import type { Peer } from "./peer.ts";

/**
 * The program that has started the server, which may what its owner may. As a device it is one
 * whose questions another device decides, since the program may have no way to ask.
 */
const peer: Peer = { id: "stdio", caller: { device: "stdio", may: scopes } };

/**
 * Serves the program at the other end of stdin and stdout until its input ends. Throws
 * MCP_SERVE_NO_INPUT, INPUT_*.
 */
export async function serveStdin({ input, out, signal }: CommandContext, needs: DoorNeeds): Promise<number> {
  if (!input) throw errors.MCP_SERVE_NO_INPUT();
  const servers = new DoorServers(needs, signal);
  const transport = new LineTransport(out);
  const failed = (error: Error): void => needs.log.debug({}, `The MCP client: ${error.message}`);
  const handle = serveStdio(({ era }) => servers.make(peer, era), { transport, onerror: failed });
  try {
    await transport.read(input);
  } finally {
    await handle.close();
  }
  return 0;
}

/** A message is a line of JSON, both ways. */
class LineTransport implements Transport {
  readonly #out: (line: string) => void;
  onmessage?: Transport["onmessage"];
  onclose?: () => void;
  onerror?: (error: Error) => void;

  constructor(out: (line: string) => void) {
    this.#out = out;
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#out(JSON.stringify(message));
  }

  /**
   * Hands on what comes until the input ends; a line that is not a message is told and left out.
   */
  async read(input: CommandInput): Promise<void> {
    for await (const line of input.lines()) {
      if (line.trim() === "") continue;
      try {
        this.onmessage?.(parseJSONRPCMessage(JSON.parse(line)));
      } catch (error) {
        this.onerror?.(asError(error));
      }
    }
  }
}
