import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { errors } from "./errors.ts";
import { wrongAt } from "./wrong-at.ts";
import { expandHome, isInside, makeDir } from "@gantry/sdk/node";

const key = ["security", "workspace_path"];
/** The place of the running program: what tools could write there would be the next start. */
const ownFiles = path.dirname(fileURLToPath(import.meta.url));

/**
 * Returns the workspace, absolute and with links followed: the configured one, made if it is
 * missing, or the folder chosen for this run. Throws WORKSPACE_UNSAFE and WORKSPACE_MISSING.
 */
export async function openWorkspace(
  configDir: string,
  configured: string | undefined,
  chosen?: string,
): Promise<string> {
  const usual = await madeWorkspace(configDir, configured);
  const workspace = chosen === undefined ? usual : await chosenWorkspace(chosen);
  const [own, config] = await Promise.all([realpath(ownFiles), realpath(configDir)]);
  if (isInside(own, workspace))
    throw wrongAt(key, errors.WORKSPACE_UNSAFE(workspace, "holds Gantry's own files"));
  if (workspace === config || (isInside(workspace, config) && workspace !== usual))
    throw wrongAt(key, errors.WORKSPACE_UNSAFE(workspace, "belongs to the configuration directory"));
  return workspace;
}

async function chosenWorkspace(chosen: string): Promise<string> {
  const workspace = await realpath(chosen).catch(() => undefined);
  if (workspace === undefined || !(await stat(workspace)).isDirectory())
    throw errors.WORKSPACE_MISSING(`"${chosen}"`);
  return workspace;
}

async function madeWorkspace(configDir: string, configured: string | undefined): Promise<string> {
  const written = configured ?? path.join(configDir, "workspace");
  const absolute = path.resolve(configDir, expandHome(written));
  try {
    makeDir(absolute);
    return await realpath(absolute);
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? String(error);
    throw wrongAt(key, errors.CONFIG_UNWRITABLE(absolute, why));
  }
}
