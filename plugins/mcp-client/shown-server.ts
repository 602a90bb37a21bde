import path from "node:path";
import { printable } from "@gantry/sdk/node";
import type { Accepted } from "./accepted.ts";
import type { ServerStart } from "./server-digest.ts";

/** Returns all of a server beside its tools and prompts, in lines; no value of a variable. */
export function shownServer({ start, reach, era, resources }: Accepted): readonly string[] {
  return [
    ...(start ? startLines(start) : []),
    ...(reach ? [lineOf("may reach", reach.domains)] : []),
    ...(reach?.read ? [lineOf("may read", reach.read)] : []),
    ...(reach?.write ? [lineOf("may write", reach.write)] : []),
    lineOf("protocol", era),
    lineOf("resources", resources),
  ];
}

function startLines(start: ServerStart): readonly string[] {
  if ("url" in start) return [lineOf("address", start.url), lineOf("headers, by name", start.headers)];
  const files = [...start.files];
  const words = start.argv.map((word, at) => {
    const line = lineOf(at === 0 ? "command" : "argument", word);
    return path.isAbsolute(word) ? `${line}  sha256 ${files.shift() ?? "of no file"}` : line;
  });
  const { installed } = start;
  return [
    ...words,
    lineOf("variables, by name", start.env),
    ...(installed === undefined ? [] : [lineOf("installed package, sha256", installed)]),
  ];
}

/** As JSON, so that no two values look the same. */
function lineOf(name: string, value: unknown): string {
  return `${name}: ${printable(JSON.stringify(value), Infinity)}`;
}
