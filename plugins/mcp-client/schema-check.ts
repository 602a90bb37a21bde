import type { ToolInput } from "@gantry/sdk";
import { cleaned, isPlain } from "./clean-text.ts";
import { wrongHeader } from "./header-check.ts";

export const MAX_LEVELS = 32;
export const MAX_SCHEMA = 64 * 1024;
const MAX_TEXT = 1_024;
/** Values of a schema once its references are unfolded. */
const MAX_VALUES = 10_000;

/** An input schema as a model may be sent it, or why its tool is left out. */
export type CheckedSchema = { readonly schema: ToolInput } | { readonly wrong: string };

type Tree = Readonly<Record<string, unknown>>;

class Wrong extends Error {}

const texts = new Set(["description", "title"]);
/** Keywords that only an unfolded reference needs, and those that nobody reads. */
const needless = new Set(["$anchor", "$comment", "$defs", "$id", "$schema", "definitions", "examples"]);

/**
 * Returns the schema with its references unfolded, without expressions, with clean texts. Wrong is
 * one that refers to another document, is nested or written beyond bounds, or hides signs.
 */
export function checkedSchema(input: unknown): CheckedSchema {
  try {
    if (!isTree(input) || input["type"] !== "object") throw new Wrong("its input is no object");
    const schema = new Unfolding(input).value(input, 1) as ToolInput;
    if (JSON.stringify(input).length > MAX_SCHEMA)
      throw new Wrong(`its input schema has more than ${MAX_SCHEMA} characters`);
    const header = wrongHeader(input);
    if (header !== undefined) throw new Wrong(header);
    return { schema };
  } catch (error) {
    if (error instanceof Wrong) return { wrong: error.message };
    throw error;
  }
}

/**
 * References are unfolded, so that a check of arguments takes no longer than the schema is long:
 * what refers to itself takes anything there.
 */
class Unfolding {
  readonly #root: Tree;
  readonly #around: string[] = [];
  #values = 0;
  #characters = 0;

  constructor(root: Tree) {
    this.#root = root;
  }

  value(value: unknown, level: number): unknown {
    if (level > MAX_LEVELS) throw new Wrong(`its input schema has more than ${MAX_LEVELS} levels`);
    if ((this.#values += 1) > MAX_VALUES)
      throw new Wrong(`its input schema unfolds to more than ${MAX_VALUES} values`);
    if (typeof value === "string") return plain(this.#counted(value));
    if (Array.isArray(value)) return value.map((item) => this.value(item, level + 1));
    return isTree(value) ? this.#schema(value, level) : value;
  }

  /** Counts a text each time it is written: a reference that is unfolded often is written often. */
  #counted(text: string): string {
    if ((this.#characters += text.length) > MAX_SCHEMA)
      throw new Wrong(`its input schema unfolds to more than ${MAX_SCHEMA} characters`);
    return text;
  }

  #schema(schema: Tree, level: number): Tree {
    const { $ref, $dynamicRef, $recursiveRef, ...own } = schema;
    const references = [$ref, $dynamicRef, $recursiveRef].filter((reference) => reference !== undefined);
    const parts = references.map((reference) => this.#target(reference, level));
    return Object.assign({}, ...parts, Object.fromEntries(this.#entries(own, level))) as Tree;
  }

  #target(reference: unknown, level: number): Tree {
    if (typeof reference !== "string" || !reference.startsWith("#"))
      throw new Wrong("its input schema refers to another document");
    const target = this.#at(reference);
    if (!isTree(target) || this.#around.includes(reference)) return {};
    this.#around.push(reference);
    const unfolded = this.value(target, level + 1) as Tree;
    this.#around.pop();
    return unfolded;
  }

  #at(reference: string): unknown {
    const parts = reference.slice(1).split("/").slice(1);
    return parts.reduce<unknown>((at, part) => {
      const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
      return typeof at === "object" && at !== null && Object.hasOwn(at, key) ? (at as Tree)[key] : undefined;
    }, this.#root);
  }

  #entries(schema: Tree, level: number): [string, unknown][] {
    // Expressions that the server chose would be held against texts that the model chose.
    const { patternProperties, ...rest } = schema;
    return Object.entries(rest).flatMap(([key, item]): [string, unknown][] => {
      plain(this.#counted(key));
      if (needless.has(key) || (key === "pattern" && typeof item === "string")) {
        this.#look(item, level);
        return [];
      }
      if (patternProperties !== undefined && key === "additionalProperties") return [];
      if (texts.has(key) && typeof item === "string") return [[key, cleaned(this.#counted(item), MAX_TEXT)]];
      if (key === "properties" && isTree(item)) return [[key, this.#properties(item, level + 1)]];
      return [[key, this.value(item, level + 1)]];
    });
  }

  /**
   * Returns properties, one of which may have the name of a keyword. One that is not a schema takes
   * anything.
   */
  #properties(properties: Tree, level: number): Tree {
    const pairs = Object.entries(properties).map(([name, item]): [string, unknown] => [
      plain(this.#counted(name)),
      isTree(item) || typeof item === "boolean" ? this.value(item, level + 1) : {},
    ]);
    return Object.fromEntries(pairs);
  }

  /** Holds a dropped item to the same bounds; it refers to nothing foreign either. */
  #look(item: unknown, level: number): void {
    if (typeof item === "object") this.value(item, level + 1);
  }
}

function plain(text: string): string {
  if (!isPlain(text)) throw new Wrong("its input schema holds hidden signs");
  return text;
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
