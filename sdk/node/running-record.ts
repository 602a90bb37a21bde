import { createHash } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { errors } from "../contract/codes.ts";
import { GantryError } from "../contract/errors.ts";
import { ProcessLock } from "./process-lock.ts";
import { replaceFile } from "./replace-file.ts";

/** The record that a running service writes for other processes. */
export interface RunningRecord {
  readonly pid: number;
  readonly version: string;
  /** ISO 8601. */
  readonly started: string;
  /** The hash of the configuration file that is in force; see {@link configHash}. */
  readonly config: string;
  /** The number of times that the configuration was read again, and the outcome of the last. */
  readonly reloads: number;
  readonly changed: readonly string[];
  /** Changes that take a restart, by key or plugin. */
  readonly restart: readonly string[];
  /** Why the last reload changed nothing. */
  readonly problem?: string;
}

export function servingLock(configDir: string): string {
  return path.join(configDir, "state", "serving.lock");
}

/**
 * Takes the lock of the service of a directory; `lost` is called once another process has it.
 * Throws ALREADY_RUNNING, and what `unwritable` makes of a folder that cannot be written to.
 */
export async function takeServingLock(
  configDir: string,
  unwritable: (folder: string, why: unknown) => Error,
  lost?: () => void,
): Promise<ProcessLock> {
  const file = servingLock(configDir);
  try {
    return await ProcessLock.take(file, (pid) => errors.ALREADY_RUNNING(configDir, pid), lost);
  } catch (error) {
    if (error instanceof GantryError) throw error;
    throw unwritable(path.dirname(file), (error as NodeJS.ErrnoException).code ?? error);
  }
}

function recordFile(configDir: string): string {
  return path.join(configDir, "state", "running.json");
}

export function configHash(text: string | undefined): string {
  return createHash("sha256")
    .update(text ?? "")
    .digest("hex");
}

/**
 * Writes the record in one step, so that no half of it is ever read; it means nothing after a power
 * cut.
 */
export async function writeRunning(configDir: string, record: RunningRecord): Promise<void> {
  await replaceFile(recordFile(configDir), JSON.stringify(record), { durable: false });
}

/** Returns undefined if no service runs on this directory. */
export async function readRunning(configDir: string): Promise<RunningRecord | undefined> {
  const pid = await ProcessLock.holder(servingLock(configDir));
  if (pid === undefined) return undefined;
  try {
    const record = JSON.parse(await readFile(recordFile(configDir), "utf8")) as RunningRecord;
    return record.pid === pid ? record : undefined;
  } catch {
    return undefined;
  }
}

export async function removeRunning(configDir: string): Promise<void> {
  await rm(recordFile(configDir), { force: true });
}
