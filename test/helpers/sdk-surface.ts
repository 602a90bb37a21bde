import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./sources.ts";

const read = (file: string): string => readFileSync(path.join(root, "sdk", file), "utf8");
const sections = /^## (\S+\.ts)\n\n```ts\n([^]*?)\n```$/gm;
const files = new Map([...read("api.md").matchAll(sections)].map(([, file = "", code]) => [file, code]));
const comments = /\/\*[^]*?\*\/|\/\/.*$/gm;
const begins = /^(?=(?:export|import|declare|interface|type)\b)/m;

/**
 * Returns the statements of a file as sdk/api.md has it, which test/reference.test.ts holds to the
 * code; a door stands there by its names alone, so it is read itself.
 */
function statementsOf(file: string): readonly string[] {
  return (files.get(file) ?? read(file)).replaceAll(comments, "").split(begins);
}

/**
 * Names in braces, with the id `<file>#<name>` of each, if the statement takes them from a file.
 */
function takenBy(statement: string, file: string): readonly (readonly [string, string])[] {
  const found = /^(?:import|export) (?:type )?\{([^}]*)\} from "(\.[^"]*)"/.exec(statement);
  const from = path.posix.join(path.dirname(file), found?.[2] ?? "");
  return listed(found?.[1]).map((one) => {
    const [name = "", as = name] = one.split(" as ");
    return [as, `${from}#${name}`];
  });
}

function listed(names: string = ""): readonly string[] {
  const all = names.split(",").map((name) => name.trim().replace(/^type /, ""));
  return all.filter((name) => name !== "");
}

const declaration = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|const|function) (\w+)/;

/** Returns the names that a file has of other files, with their ids. */
function taken(file: string): ReadonlyMap<string, string> {
  return new Map(statementsOf(file).flatMap((statement) => takenBy(statement, file)));
}

/** Returns where a name is declared, through the files that hand it on. */
function origin(id: string): string {
  const [file = "", name = ""] = id.split("#");
  const from = taken(file).get(name);
  return from === undefined ? id : origin(from);
}

/** Returns the ids of all that a file of the sdk exports. */
export function exportsOf(file: string): readonly string[] {
  return statementsOf(file).flatMap((statement) => {
    const whole = /^export \* from "(\.[^"]*)"/.exec(statement)?.[1];
    if (whole !== undefined) return exportsOf(path.posix.join(path.dirname(file), whole));
    if (!statement.startsWith("export ")) return [];
    const own = declaration.exec(statement)?.[1] ?? /^export (?:type )?\{([^}]*)\};/.exec(statement)?.[1];
    const ids = takenBy(statement, file).map(([, id]) => id);
    return [...ids, ...listed(own).map((name) => `${file}#${name}`)].map(origin);
  });
}

/** Returns the ids of the sdk's own types that the signature of a declaration names. */
export function typesIn(id: string): readonly string[] {
  const [file = "", name = ""] = id.split("#");
  const all = statementsOf(file);
  const declared = all.flatMap((statement) => declaration.exec(statement)?.[1] ?? []);
  const known = new Map([...taken(file), ...declared.map((own) => [own, `${file}#${own}`] as const)]);
  const signature = all.filter((statement) => declaration.exec(statement)?.[1] === name).join("");
  const keysAndTexts = /"(?:[^"\\]|\\.)*"|`[^`]*`|\b\w+\??(?=\s*[:(])/g;
  const words = signature.replaceAll(keysAndTexts, "").match(/\b[A-Z]\w*/g) ?? [];
  return [...new Set(words.flatMap((word) => known.get(word) ?? []))].map(origin);
}
