import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { cachingServer } from "../helpers/caching-server.ts";
import { cli } from "./processes.ts";
import { atMost, type Row } from "./row.ts";
import { serveGateway } from "./served.ts";

const turns = 50;

/**
 * Measures the cost of a conversation over HTTP on a model with a cache, in which every fourth turn
 * reads a file.
 */
export async function conversationCostRows(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const format of ["custom", "messages-custom"]) {
    const { billed, ideal, bytes } = await conversation(format);
    rows.push(
      atMost(
        `${turns} turns, ${format}: tokens billed, to those of a perfect cache`,
        billed / ideal,
        1.15,
        "x",
      ),
      atMost(`${turns} turns, ${format}: bytes sent`, bytes / 1_048_576, 4, " MiB"),
    );
  }
  return rows;
}

async function conversation(format: string): Promise<{ billed: number; ideal: number; bytes: number }> {
  await using server = await cachingServer();
  const dir = await mkdtemp(path.join(tmpdir(), "gantry-bench-"));
  const workspace = path.join(dir, "workspace");
  await mkdir(workspace);
  await writeFile(path.join(workspace, "a.txt"), "a line of a file\n".repeat(100));
  const toml = [
    `default_provider = "${format}:${server.url}"\ndefault_model = "m"\napi_key = "key"`,
    `[security]\nworkspace_path = "${workspace}"`,
  ];
  await writeFile(path.join(dir, "config.toml"), toml.join("\n"), { mode: 0o600 });
  const env = { SERVICE_CONFIG_DIR: dir };
  const gateway = await serveGateway(env);
  try {
    const { stdout: code } = await promisify(execFile)(process.execPath, [cli, "pair", "new"], {
      env: { ...process.env, ...env },
    });
    const { token } = (await post(`${gateway.found}/pair`, { code: code.trim() })) as { token: string };
    for (let i = 0; i < turns; i += 1) {
      const message = i % 4 === 3 ? `${i}: read a.txt` : `${i}: ${"and now? ".repeat(10)}`;
      await post(`${gateway.found}/api/chat`, { message, session_id: "one" }, token);
    }
    return server.bill();
  } finally {
    await gateway.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

async function post(url: string, body: object, token?: string): Promise<unknown> {
  const headers = {
    "content-type": "application/json",
    ...(token && { authorization: `Bearer ${token}` }),
  };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text);
}
