/** A real process of `gantry acp` and the streams of a client library before it. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import type { ChildProcess } from "node:child_process";
import { startGantry, tempDir, type Ended } from "../../test/helpers/cli.ts";
import type { ModelServer } from "../../test/helpers/model-server.ts";

export interface AgentOptions {
  readonly model: ModelServer;
  readonly toml?: string;
  readonly args?: readonly string[];
  /** False leaves `-C` out, so that the configured workspace is the folder. */
  readonly named?: boolean;
  /** The folders of an editor before this one. */
  readonly home?: { readonly dir: string; readonly code: string };
}

export interface AgentProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** The directory of the configuration. */
  readonly dir: string;
  /** The folder of `-C`. */
  readonly code: string;
  /** Every byte of stdout so far. */
  out(): string;
  /** All that the client library wrote to stdin. */
  sent(): string;
  /** Makes a folder below that of `-C`, and returns its path. */
  folder(name: string): string;
}

interface Started extends AgentProcess {
  /** The stdin and the stdout of the process. */
  readonly streams: readonly [WritableStream<Uint8Array>, ReadableStream<Uint8Array>];
}

/** The configuration of a model on loopback that is asked once. */
export function tomlOf({ origin }: ModelServer, more = ""): string {
  return `default_provider = "custom:${origin}/v1"\ndefault_model = "m"\n${more}\n[providers.custom]\nmax_retries = 0\n`;
}

export function startAgent({ model, toml, args = [], named, home }: AgentOptions): Started {
  using made = new DisposableStack();
  const dir = home?.dir ?? made.use(tempDir(tomlOf(model, toml))).dir;
  const isNamed = named !== false;
  const code = home?.code ?? (isNamed ? made.use(tempDir()).dir : path.join(dir, "workspace"));
  const words = ["acp", ...(isNamed ? ["-C", code] : []), ...args];
  const { child, ended } = startGantry(words, { dir, input: null });
  let text = "";
  child.stdout?.on("data", (piece: string) => (text += piece));
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
  const folders = made.move();
  return {
    child,
    ended,
    dir,
    code,
    streams: [output, bytes],
    out: () => text,
    sent: () => sent,
    folder(name) {
      const folder = path.join(code, name);
      mkdirSync(folder, { recursive: true });
      return folder;
    },
    async [Symbol.asyncDispose]() {
      child.stdin?.end();
      await ended;
      folders.dispose();
    },
  };
}
