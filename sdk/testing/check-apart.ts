import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { errors, GantryError } from "../index.ts";
import { nodeArguments, nodeProgram } from "../node/node-command.ts";
import type { Asked, Failure, Told } from "./check-apart/messages.ts";
import type { ApartSubject, CheckedApart } from "./check-apart/subject.ts";

/**
 * The patiences that a step takes at most, even if all that it waits for comes at the last moment.
 */
const STEP = 6;

/**
 * checkPlugin() in a process of its own, which is ended with all that it started: a plugin may
 * loop, wait without an end, or end its process. It sees nothing of the environment but PATH and
 * HOME, and what it prints goes to stderr. Throws the loader's errors, `PLUGIN_STUCK` and
 * `PLUGIN_QUIT`.
 */
export async function checkApart({ signal, ...subject }: ApartSubject): Promise<CheckedApart> {
  const asked: Asked = { patienceMs: 5_000, ...subject };
  const module = fileURLToPath(
    new URL(`./check-apart/process.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url),
  );
  const temporary = await mkdtemp(path.join(tmpdir(), "gantry-check-"));
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, TMPDIR: temporary };
  const child = spawn(nodeProgram, [...nodeArguments(process.execArgv, module), JSON.stringify(asked)], {
    detached: true,
    stdio: ["ignore", 2, 2, "ipc"],
    env,
  });
  const closed = new Promise((resolve) => child.once("close", resolve));
  const kill = (): void => endGroup(child);
  process.once("exit", kill);
  try {
    signal?.throwIfAborted();
    return await verdictOf(child, asked, signal);
  } finally {
    kill();
    await closed;
    process.off("exit", kill);
    await rm(temporary, { recursive: true, force: true });
  }
}

function verdictOf(
  child: ChildProcess,
  { entry, patienceMs }: Asked,
  signal?: AbortSignal,
): Promise<CheckedApart> {
  const stepMs = patienceMs * STEP;
  let last = { name: entry, during: "while it was loaded" };
  let timer: NodeJS.Timeout | undefined;
  const verdict = new Promise<CheckedApart>((resolve, reject) => {
    const wait = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => reject(errors.PLUGIN_STUCK(last.name, stepMs / 1_000, last.during)), stepMs);
    };
    wait();
    // A plugin may send messages of its own.
    child.on("message", (told: Told | null) => {
      if (told?.end) resolve(told.end);
      else if (told?.failure) reject(errorOf(told.failure));
      else if (told?.next) {
        last = { ...told.next, during: `in "${told.next.during}"` };
        wait();
      }
    });
    child.once("error", reject);
    child.once("close", (code, by) =>
      reject(errors.PLUGIN_QUIT(last.name, by ?? `exit code ${code}`, last.during)),
    );
    signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
  return verdict.finally(() => clearTimeout(timer));
}

function errorOf({ code, exit, message }: Failure): GantryError {
  return new GantryError(code, { text: "%s", exit }, [message]);
}

/** The process and whatever it started and left. */
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // All of them have ended.
  }
}
