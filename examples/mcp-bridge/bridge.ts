import { createInterface } from "node:readline";
import { defineTool, type OpenProcess, type Tool, type ToolInput, type ToolSource } from "@gantry/sdk";

interface Answer {
  readonly id?: number;
  readonly method?: string;
  readonly result?: any;
  readonly error?: { readonly message: string };
}
interface Listed {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: ToolInput;
  readonly annotations?: Readonly<Record<string, boolean>>;
}

/** A line of JSON each way. When the process ends, whoever waits is told, and the next list starts another one. */
class Connection {
  readonly #process: OpenProcess;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #last = 0;
  isOpen = true;

  constructor(process: OpenProcess, onChange: () => void) {
    this.#process = process;
    createInterface({ input: process.stdout }).on("line", (line) => {
      const answer = parsed(line);
      if (answer?.id !== undefined) this.#waiting.get(answer.id)?.(answer);
      else if (answer?.method === "notifications/tools/list_changed") onChange();
    });
    // What nobody reads makes the process wait.
    process.stderr.resume();
    void process.ended.then(({ reason }) => {
      this.isOpen = false;
      for (const tell of this.#waiting.values())
        tell({ error: { message: `the server has ended (${reason})` } });
      onChange();
    });
  }

  async ask(method: string, params: object, signal?: AbortSignal): Promise<any> {
    const id = (this.#last += 1);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const leave = (): void => reject(signal?.reason);
    signal?.addEventListener("abort", leave, { once: true });
    this.#waiting.set(id, resolve);
    this.#write({ id, method, params });
    try {
      const { result, error } = await promise;
      if (error) throw new Error(error.message);
      return result;
    } finally {
      this.#waiting.delete(id);
      signal?.removeEventListener("abort", leave);
    }
  }

  tell(method: string): void {
    this.#write({ method });
  }

  #write(message: object): void {
    this.#process.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}

/** The tools of one server as it lists them; they state no effects, so each call asks unless the owner allowed it. */
export function createBridge(name: string, start: () => Promise<OpenProcess>): ToolSource {
  let changed: (() => void) | undefined;
  let connection: Promise<Connection> | undefined;
  const connect = async (): Promise<Connection> => {
    const opened = new Connection(await start(), () => changed?.());
    const clientInfo = { name: "gantry-mcp-bridge", version: "0.1.0" };
    await opened.ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    opened.tell("notifications/initialized");
    return opened;
  };
  const connected = async (): Promise<Connection> => {
    const known = await connection?.catch(() => undefined);
    if (known?.isOpen) return known;
    return (connection = connect());
  };
  const toolOf = ({ name: tool, description = "", inputSchema, annotations = {} }: Listed): Tool =>
    defineTool({
      name: tool,
      description: description || tool,
      input: inputSchema,
      // A server may list hundreds; with `tool-index` loaded the model finds them by words.
      deferred: true,
      hints: {
        readOnly: annotations["readOnlyHint"] === true,
        openWorld: annotations["openWorldHint"] !== false,
      },
      async run({ args, signal, trace }) {
        // The server can tell which turn its work belongs to.
        const meta = trace === undefined ? {} : { _meta: { traceparent: trace } };
        const { content = [], isError } = await (
          await connected()
        ).ask("tools/call", { name: tool, arguments: args, ...meta }, signal);
        const texts = (content as { type: string; text?: string }[]).map(
          ({ type, text }) => text ?? `[${type}]`,
        );
        return { text: texts.join("\n"), failed: isError === true };
      },
    });
  return {
    name,
    onChange: (tell) => void (changed = tell),
    async tools(signal) {
      const { tools } = (await (await connected()).ask("tools/list", {}, signal)) as {
        tools: readonly Listed[];
      };
      return tools.map(toolOf);
    },
  };
}

function parsed(line: string): Answer | undefined {
  try {
    return JSON.parse(line) as Answer;
  } catch {
    return undefined;
  }
}
