import { masked, pathOf } from "@gantry/sdk/fill";
import { ProcessLock, servingLock } from "@gantry/sdk/node";
import { bundledPlugins, findNode, listedPlugins, readText, type Opened, type TableNode } from "@gantry/host";
import { effective } from "../config/effective.ts";
import { jsonSchema } from "../config/json-schema.ts";
import { noKey, type ConfigFileDeps } from "../config/config-file.ts";
import { writeWhole } from "../config/write-whole.ts";
import { parse, stringify } from "smol-toml";
import { errors } from "../errors.ts";
import { readValue } from "../read-value.ts";
import { startingFile } from "../starting-file.ts";
import type { HostCommandContext } from "./host-command.ts";

export async function init({ session, out }: HostCommandContext): Promise<number> {
  if ((await readText(session.configFile)) !== undefined) throw errors.CONFIG_EXISTS(session.configFile);
  await session.makeConfigDir();
  const base = new Set([
    "host",
    ...(await bundledPlugins()).filter((plugin) => plugin.base).map(({ name }) => name),
  ]);
  await writeWhole(session.configFile, startingFile(await session.wholeSchema(), base));
  out(`Wrote ${session.configFile}`);
  return 0;
}

export async function get({ session, args, options, out }: HostCommandContext): Promise<number> {
  const [key = ""] = args;
  const text = await session.text();
  const { config, plugins } = await session.open();
  const schema = await session.wholeSchema(plugins);
  const path = pathOf(key);
  if (!path || !findNode(schema, path)) throw noKey(schema, key);
  // Left out, it means the base set: that is what a list of one's own begins with.
  const value =
    effective(config, key) ??
    (key === "plugins" ? listedPlugins(parse(text), await bundledPlugins()) : undefined);
  const shown = options["showSecret"] ? value : masked(path.join("."), value);
  if (options["json"]) out(JSON.stringify(shown ?? null));
  else if (shown !== undefined) out(typeof shown === "string" ? shown : asToml(shown));
  return 0;
}

/**
 * Validates the whole new file before it is written; a secret is never echoed. A file that does not
 * load is corrected if the values correct it. Several keys that only work together are set
 * together.
 */
export async function set(context: HostCommandContext): Promise<number> {
  const { session, args, out } = context;
  if (args.length % 2 === 1) throw errors.USAGE(`the key ${args.at(-1)} has no value`, "config set ");
  const opened = await session.open().catch(() => undefined);
  const schema = await session.wholeSchema(opened?.plugins);
  const changes: Record<string, unknown> = {};
  for (let i = 0; i < args.length; i += 2)
    changes[args[i] as string] = valueFor(schema, args[i] as string, args[i + 1] as string);
  await change(context, changes, opened);
  for (const [key, value] of Object.entries(changes))
    out(`Set ${key} = ${JSON.stringify(masked(key, value))} in ${session.configFile}`);
  return 0;
}

/** Takes keys out of the file, so that their defaults hold again; else as `set`. */
export async function unset(context: HostCommandContext): Promise<number> {
  const { session, args, out } = context;
  const text = await session.text();
  for (const key of args) {
    if ((await session.edit(text, [[pathOf(key) ?? [], undefined]])) === text)
      throw errors.CONFIG_NOT_SET(key, session.configFile);
  }
  const opened = await session.open().catch(() => undefined);
  await change(context, Object.fromEntries(args.map((key) => [key, undefined])), opened);
  for (const key of args) out(`Took ${key} out of ${session.configFile}`);
  return 0;
}

async function change(
  { session, host, debug, err }: HostCommandContext,
  changes: Readonly<Record<string, unknown>>,
  opened: Opened | undefined,
): Promise<void> {
  await session.text();
  const record: ConfigFileDeps["record"] = async (event, text) => {
    const running = await host().catch(() => undefined);
    if (running) return running.audit.record(event);
    const corrected = await session.start(() => {}, { debug, ready: false }, text);
    await corrected.audit.record(event).finally(() => corrected.stop());
  };
  await session.editor(opened, record).set(changes);
  const service = await ProcessLock.holder(servingLock(session.configDir));
  if (service !== undefined)
    err(`The service that runs (process ${service}) takes this up with: gantry config reload`);
}

function valueFor(schema: TableNode, key: string, typed: string): unknown {
  const path = pathOf(key);
  const node = path && findNode(schema, path);
  if (node?.kind !== "leaf") throw noKey(schema, key);
  return readValue(typed, (node.schema as { type?: string }).type === "string");
}

export async function schema({ session, out }: HostCommandContext): Promise<number> {
  out(JSON.stringify(jsonSchema(await session.wholeSchema()), undefined, 2));
  return 0;
}

function asToml(value: unknown): string {
  const isTable = typeof value === "object" && value !== null && !Array.isArray(value);
  return isTable
    ? stringify(value as Record<string, unknown>).trimEnd()
    : stringify({ v: value })
        .trim()
        .replace(/^v\s*=\s*/, "");
}
