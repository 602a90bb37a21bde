import type { Effects, Sandbox, SandboxedFiles } from "@gantry/sdk";
import { errors } from "./errors.ts";

export interface FileOptions {
  /** Undefined where no plugin opens files. */
  readonly sandbox: Sandbox | undefined;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

/** Throws `FILES_NO_SANDBOX`. */
export function filesOf({ sandbox }: FileOptions): SandboxedFiles {
  if (!sandbox) throw errors.FILES_NO_SANDBOX();
  return sandbox.files;
}

/** The path that the guards were shown, links followed: what is checked is what is used. */
export function checkedPath(effects: Effects): string {
  return effects.paths[0]!.resolved;
}
