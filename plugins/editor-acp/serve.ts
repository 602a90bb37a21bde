import { realpath } from "node:fs/promises";
import { ReadableStream, WritableStream } from "node:stream/web";
import { agent, methods, ndJsonStream, type AgentApp } from "@agentclientprotocol/sdk";
import type { CommandContext } from "@gantry/sdk";
import { coded } from "./coded.ts";
import { Desk } from "./desk.ts";
import { EditorOfVersion1 } from "./editor.ts";
import { errors } from "./errors.ts";
import type { Needs } from "./needs.ts";
import { wholeLines } from "./whole-lines.ts";

/** The most bytes of one message, which may hold pictures. */
const mostBytes = 32 * 1024 * 1024;

/**
 * Answers an editor until its messages end; then nothing runs any more. Throws ACP_NO_INPUT and
 * ACP_WORKSPACE.
 */
export async function serve({ input, options, out }: CommandContext, needs: Needs): Promise<number> {
  if (!input) throw errors.ACP_NO_INPUT();
  await checkWorkspace(options["C"], needs.runtime.workspace);
  const decoder = new TextDecoder();
  // Each piece is one message and the end of its line.
  const output = new WritableStream<Uint8Array>({
    write: (piece) => out(decoder.decode(piece).slice(0, -1)),
  });
  const lines = ReadableStream.from(wholeLines(input.bytes(), mostBytes));
  const editor = new EditorOfVersion1();
  const desk = new Desk(needs, editor);
  const app = agent({ name: "gantry" }).onConnect((connection) => editor.connected(connection));
  answer(app, desk, editor);
  const preview = needs.preview ? (await import("./version-2.ts")).version2(needs) : undefined;
  const stream = ndJsonStream(output, lines as never, { maxMessageBytes: mostBytes + 1 });
  await (preview?.beside(app) ?? app).connect(stream).closed;
  await Promise.all([desk.stop(), preview?.desk.stop()]);
  return 0;
}

function answer(app: AgentApp, desk: Desk, editor: EditorOfVersion1): void {
  const { agent: asked } = methods;
  app
    .onRequest(asked.initialize, ({ params }) => {
      editor.introduced(params.clientCapabilities);
      return desk.initialize();
    })
    .onRequest(
      asked.session.new,
      coded(({ params }) => desk.open(params)),
    )
    .onRequest(
      asked.session.load,
      coded(({ params }) => desk.load(params)),
    )
    .onRequest(
      asked.session.resume,
      coded(({ params }) => desk.resume(params)),
    )
    .onRequest(
      asked.session.list,
      coded(({ params }) => desk.list(params)),
    )
    .onRequest(
      asked.session.prompt,
      coded(async ({ params, signal }) => desk.session(params.sessionId).prompt(params.prompt, signal)),
    )
    .onRequest(
      asked.session.setMode,
      coded(async ({ params }) => {
        desk.session(params.sessionId).setMode(params.modeId);
        return {};
      }),
    )
    .onRequest(
      asked.session.close,
      coded(async ({ params }) => {
        await desk.close(params.sessionId);
        return {};
      }),
    )
    .onNotification(asked.session.cancel, ({ params }) => desk.cancel(params.sessionId));
}

/**
 * Throws if the folder of `-C` is written so that the start did not read it: the editor would work
 * in another one.
 */
async function checkWorkspace(written: unknown, workspace: string): Promise<void> {
  if (typeof written !== "string") return;
  const folder = await realpath(written).catch(() => undefined);
  if (folder !== workspace) throw errors.ACP_WORKSPACE(written, written);
}
