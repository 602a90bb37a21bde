import { type Tool, type ToolSource } from "@gantry/sdk";

/** What the other side offers, as it describes it: put your server's own form here. */
export interface Offer {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly input: Tool["input"];
  /** Stops soon after its signal. */
  call(args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<string>;
}

export interface Server {
  /** All that it offers now; stops soon after its signal. */
  list(signal: AbortSignal): Promise<readonly Offer[]>;
}

/** The tools of a server. `changed` is called when the server says that it offers others: they are then asked for again. */
export function createSource(
  name: string,
  server: Server,
): { readonly source: ToolSource; readonly changed: () => void } {
  const listeners = new Set<() => void>();
  const source: ToolSource = {
    name,
    tools: async (signal) => (await server.list(signal)).map((offer) => toolOf(name, offer)),
    onChange(changed) {
      listeners.add(changed);
    },
  };
  return { source, changed: () => listeners.forEach((tell) => tell()) };
}

/** It states no effects, since nobody here knows what the server does: so each call of it asks a person. */
function toolOf(server: string, { name, description, input, call }: Offer): Tool {
  return {
    // All tools stand in one space of names.
    name: `${server}_${name}`,
    description,
    input,
    async run({ args, signal }) {
      try {
        return await call(args as Readonly<Record<string, unknown>>, signal);
      } catch (error) {
        return { text: `${server} answered: ${(error as Error).message}`, failed: true };
      }
    },
  };
}
