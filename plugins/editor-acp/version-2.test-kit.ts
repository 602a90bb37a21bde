/** An editor that speaks version 2, by the official client library. */
import {
  client,
  methods,
  ndJsonStream,
  type ClientContext,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk/experimental/v2";
import { expect } from "vitest";
import { framesOf } from "./schema.test-kit.ts";
import { startAgent, type AgentOptions, type AgentProcess } from "./agent-process.test-kit.ts";

export interface Editor2Options extends AgentOptions {
  /** The option that the person chooses. */
  readonly decide?: (request: RequestPermissionRequest) => string | Promise<string>;
}

export interface TestEditor2 extends AgentProcess {
  readonly cx: ClientContext;
  readonly asked: RequestPermissionRequest[];
  open(folder: string): Promise<string>;
  /** Sends a prompt; resolves when it is acknowledged, with the id of its message. */
  send(sessionId: string, text: string): Promise<string>;
  /** Returns what was told of a session, in order. */
  told(sessionId: string): readonly SessionUpdate[];
  /** Returns the states of a session in short, with the reasons of stops. */
  states(sessionId: string): readonly string[];
  /** Resolves once a session was idle. */
  idle(sessionId: string): Promise<void>;
  /** Returns what the agent said in a session. */
  answer(sessionId: string): string;
}

export async function startEditor2({
  decide = () => "deny",
  toml = "",
  ...options
}: Editor2Options): Promise<TestEditor2> {
  const process = startAgent({ ...options, toml: `${toml}\n[acp]\npreview = true\n` });
  const asked: RequestPermissionRequest[] = [];
  const app = client({ name: "test" })
    .onNotification(methods.client.session.update, () => {})
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      asked.push(params);
      const optionId = await decide(params);
      return { outcome: { outcome: "selected", optionId } } as RequestPermissionResponse;
    });
  const cx = app.connect(ndJsonStream(...process.streams)).agent;
  const info = { name: "test", version: "1" };
  await cx.request(methods.agent.initialize, { protocolVersion: 2, info });
  // The library hands an update on later than an answer that was written behind it.
  const told = (sessionId: string): readonly SessionUpdate[] =>
    framesOf(process.out()).flatMap(({ method, params }) =>
      method === "session/update" && params.sessionId === sessionId ? [params.update] : [],
    );
  const states = (sessionId: string): readonly string[] =>
    told(sessionId).flatMap((update): string[] => {
      if (update.sessionUpdate !== "state_update") return [];
      const { state, stopReason } = update as { state: string; stopReason?: string };
      return [stopReason ? `${state}: ${stopReason}` : state];
    });
  return {
    ...process,
    cx,
    asked,
    told,
    states,
    async open(name) {
      const cwd = process.folder(name);
      return (await cx.request(methods.agent.session.new, { cwd })).sessionId;
    },
    async send(sessionId, text) {
      const prompt = [{ type: "text" as const, text }];
      return (await cx.request(methods.agent.session.prompt, { sessionId, prompt })).messageId;
    },
    idle: (sessionId) =>
      expect
        .poll(() => states(sessionId).some((state) => state.startsWith("idle")), { timeout: 10_000 })
        .toBe(true),
    answer: (sessionId) =>
      told(sessionId)
        .flatMap((update) => {
          if (update.sessionUpdate !== "agent_message_chunk") return [];
          return [(update as { content: { text?: string } }).content.text ?? ""];
        })
        .join(""),
  };
}
