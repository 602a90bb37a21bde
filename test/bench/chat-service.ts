import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort, Platform, startEchoModel } from "../e2e/platform.ts";
import { said } from "../helpers/cli.ts";
import { cli } from "./processes.ts";

/** A daemon with the chat-app channel, its platform, and a model that repeats a word. */
export interface ChatService extends AsyncDisposable {
  readonly platform: Platform;
  readonly pid: number;
  /** Delivers one message; throws if it is not accepted. */
  deliver(from: string, word: string): Promise<void>;
  /** Bytes of all that lies in its state. */
  kept(): Promise<number>;
}

/** Starts the service, and waits until it has answered once. */
export async function startChatService(modelMs: number, gatewayKeys: string = ""): Promise<ChatService> {
  const platform = new Platform();
  const graph = await platform.start();
  const model = await startEchoModel(() => modelMs);
  const port = await freePort();
  const dir = await mkdtemp(path.join(tmpdir(), "gantry-bench-"));
  const toml = [
    `default_provider = "${model.provider}"\ndefault_model = "m"\n[gateway]\nport = ${port}\n${gatewayKeys}`,
    `[endpoints]\ngraph_url = "${graph}"\n[channels_config.chatapp]\naccess_token = "t"`,
    `phone_number_id = "1"\nverify_token = "v"\nallowed_numbers = ["*"]\napp_secret = "${platform.secret}"`,
  ];
  await writeFile(path.join(dir, "config.toml"), toml.join("\n"), { mode: 0o600 });
  const env = { ...process.env, SERVICE_CONFIG_DIR: dir, SERVICE_ALLOW_INSECURE_LOOPBACK: "1" };
  const child = spawn(process.execPath, [cli, "daemon"], { stdio: ["ignore", "ignore", "pipe"], env });
  await said(child, "stderr", /Gantry is ready/);
  const service: ChatService = {
    platform,
    pid: child.pid as number,
    async deliver(from, word) {
      if (!(await platform.deliver(`http://127.0.0.1:${port}`, from, `id-${word}`, `message-${word}`)))
        throw new Error("a delivery got no 200");
    },
    async kept() {
      const state = path.join(dir, "state");
      const names = await readdir(state, { recursive: true });
      const sizes = await Promise.all(
        names.map((name) => stat(path.join(state, name)).then(({ size }) => size)),
      );
      return sizes.reduce((sum, size) => sum + size, 0);
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      platform.stop();
      model.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
  await service.deliver("490", "warm-up");
  await platform.until(() => platform.replies.length === 1);
  return service;
}
