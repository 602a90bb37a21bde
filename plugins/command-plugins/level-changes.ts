import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { SDK_LEVEL } from "@gantry/sdk";
import { EARLIER_LEVEL } from "@gantry/sdk/fill";
import { readFacts } from "./entry.ts";
import { moved } from "../level-2/moved.ts";

const isCode = (name: string): boolean => /\.[cm]?[jt]s$/.test(name) && !/\.d\.[cm]?ts$/.test(name);
const imports = /\b(?:import|export)\s+(?:type\s+)?\{([^{}"'`;]*)\}\s*from\s*["'](@gantry\/sdk[\w/-]*)["']/g;

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
      const text = await readFile(file, "utf8");
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

function movedNames(text: string, at: Place): readonly string[] {
  return [...text.matchAll(imports)].flatMap(({ index: start, 0: whole, 1: names = "", 2: door = "" }) => {
    return [...names.matchAll(/(?:^|,)\s*(?:type\s+)?([\w$]+)/g)].flatMap(
      ({ index, 0: one, 1: name = "" }) => {
        const to = newDoor(name, door);
        if (to === undefined) return [];
        const place = at(start + whole.indexOf("{") + 1 + index + one.length - 1);
        return to === ""
          ? [`${place}: ${name} has no door any more: take its type from what it is part of, or keep a copy.`]
          : [`${place}: import ${name} from ${to}, in place of ${door}.`];
      },
    );
  });
}

/**
 * Returns the door of a name, empty if it has none any more; undefined if the name has not
 * moved.
 */
function newDoor(name: string, door: string): string | undefined {
  const doors = Object.hasOwn(moved, door) ? Object.entries(moved[door] ?? {}) : [];
  return doors.find(([, names]) => names.trim().split(/\s+/).includes(name))?.[0];
}

function openRoutes(text: string, at: Place): readonly string[] {
  return [...text.matchAll(/\bauth:\s*["'`]token["'`]/g)]
    .filter(({ index }) => !/(?<![\w$.])may\b\s*[:,]/.test(objectAround(text, index)))
    .map(
      ({ index }) =>
        `${at(index)}: the route asks for a token: add what the token needs, such as may: "read".`,
    );
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
