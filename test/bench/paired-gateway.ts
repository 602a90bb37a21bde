import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { cli } from "./processes.ts";
import { serveGateway } from "./served.ts";

export interface PairedGateway extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Pairs a device with every scope; resolves to the headers of its requests. */
  pair(): Promise<Readonly<Record<string, string>>>;
}

/** Starts the built gateway in a folder of its own, configured by what `toml` returns for it. */
export async function pairedGateway(toml: (dir: string) => string | Promise<string>): Promise<PairedGateway> {
  const dir = await mkdtemp(path.join(tmpdir(), "gantry-bench-"));
  await writeFile(path.join(dir, "config.toml"), await toml(dir), { mode: 0o600 });
  const env = { SERVICE_CONFIG_DIR: dir };
  const { found: url, child, stop } = await serveGateway(env);
  return {
    url,
    pid: child.pid as number,
    async pair() {
      const { stdout: code } = await promisify(execFile)(process.execPath, [cli, "pair", "new"], {
        env: { ...process.env, ...env },
      });
      const target = { url: `${url}/pair`, body: { code: code.trim() }, headers: {} };
      const { token } = JSON.parse(await post(target)) as { token: string };
      return { authorization: `Bearer ${token}` };
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

export interface Target {
  readonly url: string;
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;
}

/** Resolves to the text of the answer. Throws for any status but 200. */
export function post(
  { url, body, headers }: Target,
  agent?: http.Agent,
  onPiece?: (piece: string) => void,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      ...(agent && { agent }),
    };
    const request = http.request(url, options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
        onPiece?.(piece);
      });
      response
        .on("error", reject)
        .on("end", () => (response.statusCode === 200 ? resolve(text) : reject(new Error(text))));
    });
    request.on("error", reject).end(JSON.stringify(body));
  });
}
