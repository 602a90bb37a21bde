import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort, Platform, startEchoModel } from "../e2e/platform.ts";
import { cli } from "./processes.ts";
import { atMost, type Row } from "./row.ts";

const people = 500;

/** Many people write at the same moment, on a model that takes a second. */
export async function conversationRows(): Promise<readonly Row[]> {
  const { seconds, mib } = await conversations();
  return [
    atMost(`${people} conversations at once on a model that takes 1 s`, seconds, 2, " s"),
    atMost("memory of the service meanwhile, at its highest", mib, 150, " MiB"),
  ];
}

/**
 * Seconds from the first delivery to the last answer, and the most memory that the service held.
 */
export async function conversations(): Promise<{ seconds: number; mib: number }> {
  const platform = new Platform();
  const graph = await platform.start();
  const model = await startEchoModel(() => 1_000);
  const port = await freePort();
  const dir = await mkdtemp(path.join(tmpdir(), "gantry-bench-"));
  const toml = [
    `default_provider = "${model.provider}"\ndefault_model = "m"\n[gateway]\nport = ${port}\n[endpoints]\ngraph_url = "${graph}"`,
    '[channels_config.chatapp]\naccess_token = "t"\nphone_number_id = "1"\nverify_token = "v"\nallowed_numbers = ["*"]',
    `app_secret = "${platform.secret}"`,
  ];
  await writeFile(path.join(dir, "config.toml"), toml.join("\n"), { mode: 0o600 });
  const env = { ...process.env, SERVICE_CONFIG_DIR: dir, SERVICE_ALLOW_INSECURE_LOOPBACK: "1" };
  const child = spawn(process.execPath, [cli, "daemon"], { stdio: ["ignore", "ignore", "pipe"], env });
  try {
    await new Promise<void>((resolve, reject) => {
      child.stderr.on("data", (text: Buffer) => text.includes("Gantry is ready") && resolve());
      child.once("exit", () => reject(new Error("the service ended")));
    });
    const base = `http://127.0.0.1:${port}`;
    await platform.deliver(base, "490", "warm-up", "message-warm-up");
    await platform.until(() => platform.replies.length === 1);
    const began = performance.now();
    const accepted = await Promise.all(
      Array.from({ length: people }, (_, i) => platform.deliver(base, `49${i}`, `id-${i}`, `message-${i}`)),
    );
    if (accepted.includes(false)) throw new Error("a delivery got no 200");
    await platform.until(() => platform.replies.length === people + 1);
    const seconds = (performance.now() - began) / 1_000;
    return { seconds, mib: memory(child.pid as number, "VmHWM") };
  } finally {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
    platform.stop();
    model.close();
    await rm(dir, { recursive: true, force: true });
  }
}

/** MiB; `VmRSS` now, `VmHWM` at its highest. */
export function memory(pid: number, field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status)?.[1]) / 1_024;
}
