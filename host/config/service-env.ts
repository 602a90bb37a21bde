import { readFile } from "node:fs/promises";
import path from "node:path";
import { parseEnv } from "node:util";
import { errors } from "../errors.ts";
import { refuseUnsafe } from "./refuse-unsafe.ts";

/** Variables for whatever runs by this configuration, as the unit of the installed service reads them too. */
export function serviceEnvFile(configDir: string): string {
  return path.join(configDir, "service.env");
}

/** Adds what `service.env` sets to `env`, which wins; throws where the file cannot be read or others may write it. */
export async function addServiceEnv(configDir: string, env: NodeJS.ProcessEnv): Promise<void> {
  const file = serviceEnvFile(configDir);
  await refuseUnsafe(configDir, file);
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return;
    throw errors.CONFIG_UNREADABLE(file, code);
  }
  for (const [name, value] of Object.entries(parseEnv(text))) env[name] ??= value;
}
