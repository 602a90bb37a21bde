/** An editor for tests: the official client library before a real process of `gantry acp`. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import type { ChildProcess } from "node:child_process";
import {
  client,
  methods,
  ndJsonStream,
  type ClientCapabilities,
  type ClientContext,
  type CreateElicitationRequest,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { startGantry, tempDir, type Ended } from "../../test/helpers/cli.ts";
import { chunk } from "../../test/helpers/model.ts";
import { serveModel, stream, type ModelServer } from "../../test/helpers/model-server.ts";

/**
 * The answer of the model to the last message: text, a call, or nothing for as long as the client
 * stays.
 */
export type Says = string | { readonly tool: string; readonly args: object } | "nothing yet";
type Sent = { readonly role: string; readonly content: unknown; readonly tool_calls?: unknown };

/** A model that answers by what it is asked; after the result of a tool it says `done`. */
export function modelThat(says: (said: string) => Says): Promise<ModelServer> {
  return serveModel(({ body }, response) => {
    const messages = body.messages as readonly Sent[];
    const last = messages.at(-1);
    const answer = last?.role === "tool" ? "done" : says(textIn(last?.content));
    if (answer === "nothing yet") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      return void response.write(chunk({ content: "Well, " }));
    }
    const name = typeof answer === "string" ? undefined : answer.tool;
    const made = typeof answer === "string" ? {} : answer.args;
    const call = {
      index: 0,
      id: "c1",
      type: "function",
      function: { name, arguments: JSON.stringify(made) },
    };
    const delta = typeof answer === "string" ? { content: answer } : { tool_calls: [call] };
    stream(response, [chunk(delta), chunk({}, name ? "tool_calls" : "stop"), "data: [DONE]\n\n"]);
  });
}

function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return (content as readonly { text?: string }[]).map(({ text = "" }) => text).join("\n");
}

export type Decide = (request: RequestPermissionRequest) => string | "cancelled" | Promise<string>;

export interface EditorOptions {
  readonly model: ModelServer;
  readonly toml?: string;
  readonly args?: readonly string[];
  readonly can?: ClientCapabilities;
  /** The option that the person chooses. */
  readonly decide?: Decide;
  readonly form?: (request: CreateElicitationRequest) => object;
  /** False leaves `-C` out, so that the configured workspace is the folder. */
  readonly named?: boolean;
  /** The folders of an editor before this one. */
  readonly home?: { readonly dir: string; readonly code: string };
}

export interface TestEditor extends AsyncDisposable {
  readonly cx: ClientContext;
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** The directory of the configuration. */
  readonly dir: string;
  /** The folder of `-C`. */
  readonly code: string;
  readonly updates: { readonly sessionId: string; readonly update: SessionUpdate }[];
  readonly asked: RequestPermissionRequest[];
  /** Every byte of stdout so far. */
  out(): string;
  /** All that the client library wrote to stdin. */
  sent(): string;
  /** Opens a session in a folder below that of `-C`, which is made. */
  open(folder: string): Promise<string>;
  say(sessionId: string, text: string): Promise<PromptResponse>;
  /** Returns what the agent said in a session. */
  answer(sessionId: string): string;
}

/** The configuration of a model on loopback that is asked once. */
export function tomlOf({ origin }: ModelServer, more = ""): string {
  return `default_provider = "custom:${origin}/v1"\ndefault_model = "m"\n${more}\n[providers.custom]\nmax_retries = 0\n`;
}

export async function startEditor(options: EditorOptions): Promise<TestEditor> {
  const {
    model,
    toml,
    args = [],
    can = {},
    decide = () => "deny",
    form = () => ({ action: "cancel" }),
  } = options;
  using made = new DisposableStack();
  const dir = options.home?.dir ?? made.use(tempDir(tomlOf(model, toml))).dir;
  const isNamed = options.named !== false;
  const code = options.home?.code ?? (isNamed ? made.use(tempDir()).dir : path.join(dir, "workspace"));
  const { child, ended } = startGantry(["acp", ...(isNamed ? ["-C", code] : []), ...args], {
    dir,
    input: null,
  });
  let text = "";
  child.stdout?.on("data", (piece: string) => (text += piece));
  const updates: { sessionId: string; update: SessionUpdate }[] = [];
  const asked: RequestPermissionRequest[] = [];
  const app = client({ name: "test" })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params))
    .onRequest(methods.client.elicitation.create, ({ params }) => form(params) as never)
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      asked.push(params);
      const optionId = await decide(params);
      const outcome = optionId === "cancelled" ? { outcome: optionId } : { outcome: "selected", optionId };
      return { outcome } as RequestPermissionResponse;
    });
  const encoder = new TextEncoder();
  const bytes = new ReadableStream<Uint8Array>({
    start(queue) {
      child.stdout?.on("data", (piece: string) => queue.enqueue(encoder.encode(piece)));
      child.stdout?.on("end", () => queue.close());
    },
  });
  // Tests write lines of their own beside it.
  let sent = "";
  const output = new WritableStream<Uint8Array>({
    write(piece) {
      sent += new TextDecoder().decode(piece);
      child.stdin?.write(piece);
    },
  });
  const connection = app.connect(ndJsonStream(output, bytes));
  const cx = connection.agent;
  await cx.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: can });
  const folders = made.move();
  return {
    cx,
    child,
    ended,
    dir,
    code,
    updates,
    asked,
    out: () => text,
    sent: () => sent,
    async open(folder) {
      const cwd = path.join(code, folder);
      mkdirSync(cwd, { recursive: true });
      return (await cx.request(methods.agent.session.new, { cwd, mcpServers: [] })).sessionId;
    },
    say: (sessionId, said) =>
      cx.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text: said }] }),
    answer: (sessionId) => spoken(updates, sessionId, "agent_message_chunk"),
    async [Symbol.asyncDispose]() {
      child.stdin?.end();
      await ended;
      folders.dispose();
    },
  };
}

/** Returns what one of both said in a session. */
export function spoken(
  updates: TestEditor["updates"],
  session: string,
  by: "agent_message_chunk" | "user_message_chunk",
): string {
  return updates
    .map(({ sessionId, update }) => {
      if (sessionId !== session || update.sessionUpdate !== by) return "";
      return update.content.type === "text" ? update.content.text : `[${update.content.type}]`;
    })
    .join("");
}

/** Returns what an editor was told of the calls of a session, the last word of each. */
export function callsOf(updates: TestEditor["updates"], session: string): readonly Record<string, unknown>[] {
  const calls = new Map<string, Record<string, unknown>>();
  for (const { sessionId, update } of updates) {
    if (sessionId !== session || !update.sessionUpdate.startsWith("tool_call")) continue;
    const { toolCallId, ...rest } = update as Record<string, unknown> & { toolCallId: string };
    calls.set(toolCallId, { ...calls.get(toolCallId), ...rest });
  }
  return [...calls.values()];
}
