import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { SDK_LEVEL } from "@gantry/sdk";
import { EARLIER_LEVEL } from "@gantry/sdk/fill";
import { readFacts } from "./entry.ts";
import { movedNames } from "./moved-names.ts";

const isCode = (name: string): boolean => /\.[cm]?[jt]s$/.test(name) && !/\.d\.[cm]?ts$/.test(name);

/**
 * Returns a sentence with file and line for each thing that the author of a plugin of the
 * earlier level has to change. A package is read whole, without what it has installed or built;
 * of a loose file that file alone.
 */
export async function levelChanges(entry: string, folder: string): Promise<readonly string[]> {
  const { gantry } = await readFacts(folder);
  const isPackage = typeof (gantry as { readonly sdk?: unknown } | undefined)?.sdk === "number";
  const files = isPackage ? await codeIn(folder) : [entry];
  const found = await Promise.all(
    files.map(async (file) => {
      const text = withoutComments(await readFile(file, "utf8"));
      const at = (index: number): string =>
        `${path.relative(folder, file)}:${text.slice(0, index).split("\n").length}`;
      return [...movedNames(text, at), ...openRoutes(text, at)];
    }),
  );
  const where = isPackage ? "as `gantry.sdk` in package.json" : "in definePlugin()";
  return [...found.flat(), `Then state ${SDK_LEVEL} ${where}, in place of ${EARLIER_LEVEL}.`];
}

async function codeIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = entries
    .filter(({ name }) => !["node_modules", "dist"].includes(name) && !name.startsWith("."))
    .map(async (entry) => {
      const at = path.join(folder, entry.name);
      if (entry.isDirectory()) return await codeIn(at);
      return entry.isFile() && isCode(entry.name) ? [at] : [];
    });
  return (await Promise.all(found)).flat().toSorted();
}

type Place = (index: number) => string;

/**
 * Returns code with a space for each character of a comment, so that all else stays in its place.
 */
function withoutComments(code: string): string {
  const texts = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/.source;
  const all = new RegExp(`${texts}|//.*|/\\*[^]*?\\*/`, "g");
  return code.replaceAll(all, (part) => (part.startsWith("/") ? part.replaceAll(/./g, " ") : part));
}

const closed =
  'the route asks for a token: add may: "manage", which level 2 took for it; "talk", "read" or ' +
  '"decide" lets in more tokens.';

function openRoutes(text: string, at: Place): readonly string[] {
  return [...text.matchAll(/\bauth:\s*["'`]token["'`]/g)]
    .filter(({ index }) => !/(?<![\w$.])may\b\s*[:,]/.test(objectAround(text, index)))
    .map(({ index }) => `${at(index)}: ${closed}`);
}

/** Returns the code between the braces around a place, without what stands in braces of its own. */
function objectAround(text: string, index: number): string {
  const [before, after] = [
    level(text.slice(0, index), "}", "{", true),
    level(text.slice(index), "{", "}", false),
  ];
  return before + after;
}

/** Reads on from a place to the brace that closes its object, leaving out inner braces. */
function level(text: string, opens: string, closes: string, isBackward: boolean): string {
  const characters = isBackward ? [...text].toReversed() : [...text];
  let depth = 0;
  const found: string[] = [];
  for (const character of characters) {
    if (character === opens) depth++;
    if (character === closes && depth-- === 0) break;
    if (depth === 0) found.push(character);
  }
  return (isBackward ? found.toReversed() : found).join("");
}
