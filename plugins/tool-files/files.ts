import type { Effects, Sandbox } from "@gantry/sdk";
import type { SandboxedFiles } from "@gantry/sdk/fill";
import { Type } from "typebox";
import { errors } from "./errors.ts";

export interface FileOptions {
  /** Undefined if no plugin opens files. */
  readonly sandbox: Sandbox | undefined;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

/** A file with a zero in its beginning is not text. */
const SNIFFED_BYTES = 8_192;

export const pathInput: Type.TString = Type.String({
  minLength: 1,
  maxLength: 4_096,
  description: "Relative to the workspace, or absolute.",
});

export const folderInput: Type.TOptional<Type.TString> = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 4_096,
    description: "Relative to the workspace, or absolute; default the workspace.",
  }),
);

/** Throws `FILES_NO_SANDBOX`. */
export function filesOf({ sandbox }: Pick<FileOptions, "sandbox">): SandboxedFiles {
  if (!sandbox) throw errors.FILES_NO_SANDBOX();
  return sandbox.files;
}

/** The path that the guards were shown, links followed: what is checked is what is used. */
export function checkedPath(effects: Effects): string {
  return effects.paths[0]!.resolved;
}

export function isBinary(data: Uint8Array): boolean {
  return data.subarray(0, SNIFFED_BYTES).includes(0);
}
