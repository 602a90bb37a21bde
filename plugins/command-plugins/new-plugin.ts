import { cp, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { CommandContext } from "@gantry/sdk";
import { errors } from "./errors.ts";

/** Copies the template of a kind; the word `example` in it becomes the plugin's name. */
export async function newPlugin(
  { args, options, out, err }: CommandContext,
  templates: URL,
  version: string,
): Promise<number> {
  const [kind = "", name = ""] = args;
  const kinds = await readdir(fileURLToPath(templates));
  if (!kinds.includes(kind)) throw errors.PLUGINS_KIND(kind, kinds.toSorted().join(", "));
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(name)) throw errors.PLUGINS_NAME(name);
  const dir = typeof options["dir"] === "string" ? options["dir"] : ".";
  const folder = path.resolve(dir, `gantry-plugin-${name}`);
  if (await stat(folder).catch(() => undefined)) throw errors.PLUGINS_EXISTS(folder);
  try {
    await mkdir(path.dirname(folder), { recursive: true });
    await cp(fileURLToPath(new URL(`${kind}/`, templates)), folder, {
      recursive: true,
      errorOnExist: true,
      force: false,
    });
    for (const file of await readdir(folder)) await fillIn(path.join(folder, file), name, version);
  } catch (error) {
    throw errors.PLUGINS_UNWRITABLE(folder, (error as NodeJS.ErrnoException).code ?? String(error));
  }
  out(folder);
  err(`Next: cd ${path.relative(process.cwd(), folder) || "."} && npm install && npm test`);
  err(`Then: gantry plugins check ${folder}`);
  return 0;
}

async function fillIn(file: string, name: string, version: string): Promise<void> {
  const text = (await readFile(file, "utf8"))
    .replaceAll(/\bexample\b/g, name)
    .replaceAll("0.0.0-sdk", version);
  await writeFile(file, text);
}
