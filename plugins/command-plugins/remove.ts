import { rm } from "node:fs/promises";
import path from "node:path";
import type { CommandContext } from "@gantry/sdk";
import { readPluginLock } from "@gantry/sdk/node";
import type { PluginNeeds } from "./needs.ts";
import { errors } from "./errors.ts";
import { pluginFolder } from "./folder.ts";
import { writeLock } from "./lock-file.ts";

/** Only what `plugins add` put there, and only once the configuration does without it. */
export async function remove(
  { args, out }: CommandContext,
  { audit, runtime }: PluginNeeds,
): Promise<number> {
  const { configDir } = runtime;
  const lock = await readPluginLock(configDir);
  const [given = ""] = args;
  const name = [`gantry-plugin-${given}`, given].find((candidate) => Object.hasOwn(lock, candidate));
  const folder = await pluginFolder(configDir);
  if (name === undefined) throw errors.PLUGINS_NOT_INSTALLED(given, folder);
  const place = path.join(folder, name);
  if (runtime.plugins.some(({ from }) => from.startsWith(place + path.sep)))
    throw errors.PLUGINS_STILL_LISTED(name);
  const { [name]: gone, ...rest } = lock;
  const event = { plugin: name, version: gone?.version };
  await audit.record({
    event_type: "config_change",
    tool: "",
    args: event,
    result: "plugin removed",
    user: "owner",
    session_id: "",
  });
  await rm(place, { recursive: true, force: true });
  await writeLock(configDir, rest);
  out(`Removed ${name}`);
  return 0;
}
