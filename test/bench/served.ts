import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cli } from "./processes.ts";

/** A program that serves until it is stopped. */
export interface Served {
  readonly child: ChildProcess;
  /** The first match in what it prints; it goes on printing. */
  readonly found: string;
  stop(): Promise<void>;
}

/** The built gateway on a free port; `found` is its address. */
export function serveGateway(env: NodeJS.ProcessEnv): Promise<Served> {
  return serve([cli, "gateway", "--port", "0"], env, "stderr", /"url":"([^"]+)"/);
}

export async function serve(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  from: "stdout" | "stderr",
  pattern: RegExp,
): Promise<Served> {
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const found = await new Promise<string>((resolve, reject) => {
    const said = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream].on("data", (piece: Buffer) => {
        said[stream] += piece.toString();
        const [, match] = pattern.exec(said[from]) ?? [];
        if (match !== undefined) resolve(match);
      });
    }
    child.once("exit", () => reject(new Error(`the server ended: ${said.stderr}`)));
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  return { child, found, stop };
}
