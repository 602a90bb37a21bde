import { defineTool } from "@gantry/sdk";
import type { Media, OpenProcess, Part, QuestionForm, Tool, ToolInput, ToolResult } from "@gantry/sdk";
import type { ToolRun, ToolSource } from "@gantry/sdk";
import type { CallToolResult, Client, ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";

type Run = ToolRun<Readonly<Record<string, unknown>>>;
type Content = CallToolResult["content"][number];
type Listed = Awaited<ReturnType<Client["listTools"]>>["tools"][number];

/**
 * The tools of one server as it lists them; they state no effects, so each call asks unless the
 * owner allowed it. The server starts with the first list. When it ends, its calls fail, and the
 * next list starts another one.
 */
export function createBridge(
  name: string,
  start: () => Promise<OpenProcess>,
  media: Media | undefined,
): ToolSource {
  let changed: (() => void) | undefined;
  let connection: Promise<Client> | undefined;
  const running = new Set<Run>();

  const connect = async (): Promise<Client> => {
    // Both take a while to load, which only a conversation with a server is worth.
    const { Client } = await import("@modelcontextprotocol/client");
    const { ProcessTransport } = await import("./process-transport.ts");
    const client = new Client(
      { name: "gantry-mcp-bridge", version: "0.1.0" },
      {
        capabilities: { elicitation: { form: {}, url: {} } },
        versionNegotiation: { mode: "auto" },
        listChanged: { tools: { autoRefresh: false, onChanged: () => changed?.() } },
      },
    );
    client.setRequestHandler("elicitation/create", ({ params }) => askPerson(params, running));
    const process = await start();
    void process.ended.then(() => {
      connection = undefined;
      changed?.();
    });
    await client.connect(new ProcessTransport(process));
    return client;
  };
  const connected = (): Promise<Client> => {
    connection ??= connect().catch((error: unknown) => {
      connection = undefined;
      throw error;
    });
    return connection;
  };

  const call = async (tool: string, run: Run): Promise<ToolResult> => {
    running.add(run);
    try {
      const { args, signal, trace, progress } = run;
      const result = await (
        await connected()
      ).callTool(
        {
          name: tool,
          arguments: args,
          // The server can tell which turn its work belongs to.
          ...(trace === undefined ? {} : { _meta: { traceparent: trace } }),
        },
        {
          signal,
          timeout: 2 ** 31 - 1, // The host ends a call that takes too long.
          onprogress: ({ progress: done, total, message: text }) =>
            progress?.({
              done,
              ...(total === undefined ? {} : { total }),
              ...(text === undefined ? {} : { text }),
            }),
        },
      );
      const parts = await Promise.all(
        result.content.map((content: Content) => partOf(content, run.user, media)),
      );
      return { parts, failed: result.isError === true };
    } finally {
      running.delete(run);
    }
  };
  const toolOf = ({ name: tool, description, inputSchema, annotations }: Listed): Tool =>
    defineTool({
      name: tool,
      description: description || tool,
      input: inputSchema as ToolInput,
      // A server may list hundreds; with `tool-index` loaded the model finds them by words.
      deferred: true,
      hints: {
        readOnly: annotations?.readOnlyHint === true,
        openWorld: annotations?.openWorldHint !== false,
      },
      run: (run) => call(tool, run),
    });
  return {
    name,
    onChange: (tell) => void (changed = tell),
    async tools(signal) {
      const client = await connected();
      const { tools } = await client.listTools(undefined, { signal, cacheMode: "refresh" });
      return tools.map(toolOf);
    },
  };
}

/** Keeps a picture, and names what the model cannot be shown. */
async function partOf(content: Content, user: string, media: Media | undefined): Promise<Part> {
  if (content.type === "text") return { type: "text", text: content.text };
  if (content.type !== "image" || media === undefined) return { type: "text", text: `[${content.type}]` };
  const bytes = Buffer.from(content.data, "base64");
  return { type: "media", media: await media.put(bytes, { mime: content.mimeType, user }) };
}

/**
 * The server does not say which call its question belongs to: with several under way nobody is
 * asked.
 */
async function askPerson(params: ElicitRequest["params"], running: ReadonlySet<Run>): Promise<ElicitResult> {
  const [run, another] = running;
  if (run?.ask === undefined || another !== undefined) return { action: "cancel" };
  const text = params.message;
  const wanted =
    params.mode === "url"
      ? { text, url: params.url }
      : { text, form: params.requestedSchema as QuestionForm };
  return run.ask(wanted);
}
