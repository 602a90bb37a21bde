import { chmod, cp, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { SDK_LEVEL, type CommandContext } from "@gantry/sdk";
import { errors } from "./errors.ts";

/**
 * The folder that all kinds share, and that of a plugin with packages of its own; the other folders
 * are the kinds.
 */
const common = "common";
const bundle = "bundle";
/** The file in which a kind describes itself; it becomes a part of README.md and package.json. */
const factsFile = "template.json";

interface TemplateFacts {
  readonly about: string;
  readonly needs: readonly string[];
  readonly provides: readonly string[];
  readonly taps: readonly string[];
}

/** Copies the template of a kind; the word `example` in it becomes the plugin's name. */
export async function newPlugin(
  { args, options, out, err }: CommandContext,
  templates: URL,
  version: string,
): Promise<number> {
  const [kind = "", name = ""] = args;
  const kinds = (await readdir(templates)).filter((folder) => folder !== common && folder !== bundle);
  if (!kinds.includes(kind)) throw errors.PLUGINS_KIND(kind, kinds.toSorted().join(", "));
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(name)) throw errors.PLUGINS_NAME(name);
  const dir = typeof options["dir"] === "string" ? options["dir"] : ".";
  const folder = path.resolve(dir, `gantry-plugin-${name}`);
  if (await stat(folder).catch(() => undefined)) throw errors.PLUGINS_EXISTS(folder);
  const isBundled = options["bundle"] === true;
  try {
    // Whatever the umask: what others may write is not loaded.
    await mkdir(folder, { recursive: true, mode: 0o755 });
    for (const from of [common, kind, ...(isBundled ? [bundle] : [])])
      await cp(fileURLToPath(new URL(`${from}/`, templates)), folder, { recursive: true });
    const facts = JSON.parse(await readFile(path.join(folder, factsFile), "utf8")) as TemplateFacts;
    await rm(path.join(folder, factsFile));
    await statePackage(path.join(folder, "package.json"), facts, isBundled);
    const words = { KIND: kind, example: name, "0.0.0-sdk": version };
    const all = { ...words, ABOUT: filled(facts.about, words) };
    for (const file of await readdir(folder)) {
      const text = await readFile(path.join(folder, file), "utf8");
      await writeFile(path.join(folder, file), filled(text, all));
      await chmod(path.join(folder, file), 0o644);
    }
  } catch (error) {
    throw errors.PLUGINS_UNWRITABLE(folder, (error as NodeJS.ErrnoException).code ?? String(error));
  }
  out(folder);
  const build = isBundled ? " && npm run build" : "";
  err(`Next: cd ${path.relative(process.cwd(), folder) || "."} && npm install && npm test${build}`);
  err(
    'Where no registry has @gantry/sdk, in place of npm install: npm install --no-save "$(npm root -g)/gantry/dist/package/sdk"',
  );
  err("In a clone of Gantry: npm pack there, then npm install --no-save CLONE/dist/package/sdk here");
  err(`Then: gantry plugins check ${folder}`);
  return 0;
}

/** A plugin with packages of its own is built into one file, which is what it publishes. */
async function statePackage(file: string, facts: TemplateFacts, isBundled: boolean): Promise<void> {
  const { about: _, ...slots } = facts;
  const stated = JSON.parse(await readFile(file, "utf8")) as Record<string, object>;
  const built = isBundled && {
    files: ["dist"],
    exports: "./dist/index.js",
    scripts: { ...stated["scripts"], build: "node build.mjs", prepack: "node build.mjs" },
    devDependencies: { ...stated["devDependencies"], rolldown: "^1.0.0" },
  };
  const whole = { ...stated, ...built, gantry: { sdk: SDK_LEVEL, ...slots } };
  await writeFile(file, `${JSON.stringify(whole, undefined, 2)}\n`);
}

function filled(text: string, words: Readonly<Record<string, string>>): string {
  const known = new RegExp(`\\b(?:${Object.keys(words).join("|").replaceAll(".", "\\.")})\\b`, "g");
  return text.replaceAll(known, (word) => words[word] ?? word);
}
