import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { PromptOptions } from "@gantry/sdk";
import { expandHome, isInside } from "@gantry/sdk/node";
import type { TurnContext } from "../tools/turn-context.ts";
import { errors } from "./errors.ts";

type Place = Pick<PromptOptions, "workspace">;

/**
 * Returns options with the folder of their turn resolved, or without one if it is that of the turn
 * around it or the configured one. Throws WORKSPACE_ABSENT and WORKSPACE_OUTSIDE.
 */
export async function placed<T extends Place>(
  { workspace: wanted, ...rest }: T,
  configured: string,
  around: TurnContext | undefined,
): Promise<Omit<T, "workspace"> & Place> {
  if (wanted === undefined) return rest;
  const most = around?.workspace ?? configured;
  const written = path.resolve(most, expandHome(String(wanted)));
  const folder = await realpath(written).catch(() => undefined);
  // The names of files elsewhere are not told to whoever may not look there.
  if (!isInside(folder ?? written, most)) throw errors.WORKSPACE_OUTSIDE(written, most);
  if (folder === undefined || !(await stat(folder)).isDirectory()) throw errors.WORKSPACE_ABSENT(written);
  return { ...rest, ...(folder !== most && { workspace: folder }) };
}
