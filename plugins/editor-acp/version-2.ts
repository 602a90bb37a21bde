import { randomUUID } from "node:crypto";
import {
  agent,
  agentProtocolRouter,
  assertSupportedMcpServers,
  methods,
  RequestError,
  type AgentApp,
  type AgentConnector,
  type AgentProtocolRouter,
  type IdleStateUpdate,
  type InitializeResponse,
  type NewSessionRequest,
  type NewSessionResponse,
  type PromptRequest,
  type PromptResponse,
  type ResumeSessionRequest,
  type SetSessionConfigOptionRequest,
} from "@agentclientprotocol/sdk/experimental/v2";
import { asRequestError, coded } from "./coded.ts";
import { Desk } from "./desk.ts";
import { errors } from "./errors.ts";
import type { Needs } from "./needs.ts";
import type { Session } from "./session.ts";
import { EditorOfVersion2 } from "./version-2-editor.ts";
import { modeOption, optionsIn2 } from "./version-2-updates.ts";

/** The agent as version 2 of the protocol has it. */
export interface Version2 {
  readonly desk: Desk;
  /** Returns both versions: the editor's first message tells which one it is given. */
  beside(version1: AgentConnector): AgentProtocolRouter;
}

export function version2(needs: Needs): Version2 {
  const editor = new EditorOfVersion2();
  const desk = new Desk(needs, editor);
  const app = agent({ name: "gantry" }).onConnect((connection) => editor.connected(connection));
  answerStarts(app, needs, editor);
  answerSessions(app, desk, editor);
  answerTurns(app, desk, editor);
  return { desk, beside: (version1) => agentProtocolRouter().withV1(version1).withV2(app) };
}

function answerStarts(app: AgentApp, needs: Needs, editor: EditorOfVersion2): void {
  app.onRequest(methods.agent.initialize, ({ params }): InitializeResponse => {
    editor.introduced(params.capabilities ?? undefined);
    const prompt = { embeddedContext: {}, ...(needs.media && { image: {} }) };
    const info = { name: "gantry", title: "Gantry", version: needs.runtime.version };
    return { protocolVersion: 2, info, capabilities: { session: { prompt } }, authMethods: [] };
  });
}

function answerSessions(app: AgentApp, desk: Desk, editor: EditorOfVersion2): void {
  const { session: asked } = methods.agent;
  app
    .onRequest(
      asked.new,
      coded(async ({ params }: { params: NewSessionRequest }): Promise<NewSessionResponse> => {
        assertSupportedMcpServers(params.mcpServers, undefined);
        const { sessionId } = await desk.open({ ...params, mcpServers: [] });
        return { sessionId, configOptions: optionsOf(desk.session(sessionId)) };
      }),
    )
    .onRequest(
      asked.resume,
      coded(({ params }) => resume(params, desk, editor)),
    )
    .onRequest(
      asked.list,
      coded(({ params }) => desk.list(params)),
    )
    .onRequest(
      asked.close,
      coded(async ({ params: { sessionId } }) => {
        if (desk.has(sessionId)) await desk.close(sessionId);
        editor.closed(sessionId);
        return {};
      }),
    )
    .onRequest(
      asked.setConfigOption,
      coded(async ({ params }) => setOption(params, desk)),
    );
}

function answerTurns(app: AgentApp, desk: Desk, editor: EditorOfVersion2): void {
  const { session: asked } = methods.agent;
  app
    .onRequest(
      asked.prompt,
      coded(({ params, signal }) => prompt(params, signal, desk, editor)),
    )
    .onNotification(asked.cancel, ({ params }) => desk.cancel(params.sessionId));
}

/** Answers once the state is told, which follows whatever was told of the past. */
async function resume(wanted: ResumeSessionRequest, desk: Desk, editor: EditorOfVersion2) {
  const { replayFrom, mcpServers, ...about } = wanted;
  assertSupportedMcpServers(mcpServers, undefined);
  if (replayFrom != null && replayFrom.type !== "start") throw errors.ACP_REPLAY();
  const asked = { ...about, mcpServers: [] };
  await (replayFrom == null ? desk.resume(asked) : desk.load(asked));
  editor.foreground(about.sessionId).tell();
  return { configOptions: optionsOf(desk.session(about.sessionId)) };
}

function setOption(asked: SetSessionConfigOptionRequest, desk: Desk) {
  const session = desk.session(asked.sessionId);
  if (asked.configId !== modeOption) throw errors.ACP_OPTION_UNKNOWN(asked.configId);
  session.setMode(String(asked.value));
  return { configOptions: optionsOf(session) };
}

/** Answers when the message has its place in the conversation; states tell the rest of the turn. */
function prompt(
  { sessionId, prompt: blocks }: PromptRequest,
  signal: AbortSignal,
  desk: Desk,
  editor: EditorOfVersion2,
): Promise<PromptResponse> {
  const session = desk.session(sessionId);
  const foreground = editor.foreground(sessionId);
  const { promise, resolve, reject } = Promise.withResolvers<PromptResponse>();
  const messageId = randomUUID();
  const withdrawn = new AbortController();
  let isInserted = false;
  const begun = (): void => {
    if (isInserted) return;
    isInserted = true;
    foreground.begin();
    void editor.send(sessionId, { sessionUpdate: "user_message", messageId, content: blocks });
    resolve({ messageId });
  };
  const withdraw = (): void => void (isInserted || withdrawn.abort());
  signal.addEventListener("abort", withdraw, { once: true });
  session.prompt(blocks as never, withdrawn.signal, begun).then(
    ({ stopReason }) => {
      if (isInserted) foreground.end({ stopReason } as IdleStateUpdate);
      else reject(RequestError.requestCancelled());
    },
    (thrown: unknown) => {
      if (!isInserted) return reject(thrown);
      const { code, message, data } = asRequestError(thrown);
      foreground.end({ stopReason: "error", error: { code, message, data } as never });
    },
  );
  return promise;
}

function optionsOf(session: Session) {
  return optionsIn2(session.modes);
}
