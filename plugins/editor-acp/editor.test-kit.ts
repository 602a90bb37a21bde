/** An editor for tests: the official client library before a real process of `gantry acp`. */
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
import { chunk } from "../../test/helpers/model.ts";
import { serveModel, stream, type ModelServer } from "../../test/helpers/model-server.ts";
import { startAgent, type AgentOptions, type AgentProcess } from "./agent-process.test-kit.ts";

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

export interface EditorOptions extends AgentOptions {
  readonly can?: ClientCapabilities;
  /** The option that the person chooses. */
  readonly decide?: Decide;
  readonly form?: (request: CreateElicitationRequest) => object;
}

export interface TestEditor extends AgentProcess {
  readonly cx: ClientContext;
  readonly updates: { readonly sessionId: string; readonly update: SessionUpdate }[];
  readonly asked: RequestPermissionRequest[];
  /** Opens a session in a folder below that of `-C`, which is made. */
  open(folder: string): Promise<string>;
  say(sessionId: string, text: string): Promise<PromptResponse>;
  /** Returns what the agent said in a session. */
  answer(sessionId: string): string;
}

export async function startEditor(options: EditorOptions): Promise<TestEditor> {
  const { can = {}, decide = () => "deny", form = () => ({ action: "cancel" }) } = options;
  const process = startAgent(options);
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
  const connection = app.connect(ndJsonStream(...process.streams));
  const cx = connection.agent;
  await cx.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: can });
  return {
    ...process,
    cx,
    updates,
    asked,
    open: async (folder) =>
      (await cx.request(methods.agent.session.new, { cwd: process.folder(folder), mcpServers: [] }))
        .sessionId,
    say: (sessionId, said) =>
      cx.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text: said }] }),
    answer: (sessionId) => spoken(updates, sessionId, "agent_message_chunk"),
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
