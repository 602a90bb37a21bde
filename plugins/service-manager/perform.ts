import { execFile } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import type { GantryError } from "@gantry/sdk";
import { replaceFile } from "@gantry/sdk/node";
import { errors } from "./errors.ts";
import type { Step } from "./plan.ts";

const timeoutMs = 60_000;

/** Throws SERVICE_* errors. */
export async function perform(step: Step): Promise<void> {
  if (step.do === "remove") return rm(step.path, { force: true });
  if (step.do === "write") return write(step);
  const { code, stderr } = await run(step.argv);
  if (code !== 0 && !step.mayFail) throw managerFailed(step.argv, code, stderr);
}

/** With the first line of what the manager said. */
export function managerFailed(argv: readonly string[], code: number, stderr: string): GantryError {
  const [line = ""] = stderr.trim().split("\n");
  const said = line.replace(/[.;]$/, "") || `exit code ${code}`;
  const because = /connect to (?:user scope )?bus/.test(said)
    ? errors.SERVICE_NO_BUS
    : errors.SERVICE_MANAGER_FAILED;
  return because(argv.join(" "), said);
}

/** In one step, so that no half-written unit is ever read. */
async function write({ path: file, text, mode }: Extract<Step, { do: "write" }>): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await replaceFile(file, text, { mode });
  } catch (error) {
    throw errors.SERVICE_FILE(file, (error as NodeJS.ErrnoException).code ?? error);
  }
}

/** Runs a program of the service manager; throws SERVICE_NO_MANAGER where it is not there. */
export function run(
  argv: readonly string[],
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const [program = "", ...args] = argv;
  return new Promise((resolve, reject) => {
    execFile(program, args, { timeout: timeoutMs }, (error, stdout, stderr) => {
      if (error?.code === "ENOENT") reject(errors.SERVICE_NO_MANAGER(program));
      else resolve({ code: error ? (typeof error.code === "number" ? error.code : 1) : 0, stdout, stderr });
    });
  });
}
