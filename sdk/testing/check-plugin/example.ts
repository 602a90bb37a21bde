import type { TSchema } from "typebox";
import { Value } from "typebox/value";

type Schema = Readonly<Record<string, unknown>>;

/** Deeper than this no schema is followed: one may contain itself. */
const DEEPEST = 12;

/**
 * The least object that a schema takes, whoever wrote it; of a text with a pattern only what
 * `default` or `examples` give.
 */
export function exampleOf(schema: TSchema): Record<string, unknown> {
  const made = [() => least(schema, { ...schema }, 0), () => Value.Create(schema) as unknown];
  for (const make of made) {
    try {
      const value = make();
      if (Value.Check(schema, value)) return value as Record<string, unknown>;
    } catch {
      // The contract says what the schema does not take.
    }
  }
  return {};
}

function least(given: unknown, root: Schema, depth: number): unknown {
  const schema = Object(given) as Schema;
  const { $ref: at, const: only, enum: among, allOf, examples } = schema;
  if ("default" in schema) return schema["default"];
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if ("const" in schema) return only;
  if (Array.isArray(among)) return among[0];
  if (depth > DEEPEST) return undefined;
  if (typeof at === "string") return least(partAt(root, at), root, depth + 1);
  if (Array.isArray(allOf))
    return least(mergedOf([{ ...schema, allOf: undefined }, ...allOf]), root, depth + 1);
  const choices = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(choices)) {
    const { anyOf: _, oneOf: __, ...rest } = schema;
    return least(mergedOf([rest, choices[0]]), root, depth + 1);
  }
  return leastOfKind(schema, root, depth);
}

function leastOfKind(schema: Schema, root: Schema, depth: number): unknown {
  const { type, properties, required, minItems, minLength, items } = schema;
  const kind: unknown = Array.isArray(type) ? type[0] : (type ?? "object");
  if (kind === "object") {
    const keys = (required ?? []) as readonly string[];
    const of = Object(properties) as Schema;
    return Object.fromEntries(keys.map((key) => [key, least(of[key], root, depth + 1)]));
  }
  if (kind === "array")
    return Array.from({ length: Number(minItems ?? 0) }, () => least(items, root, depth + 1));
  if (kind === "integer" || kind === "number") return leastNumber(schema, kind === "integer");
  if (kind === "boolean") return false;
  if (kind === "null") return null;
  return " ".repeat(Number(minLength ?? 0));
}

function leastNumber({ minimum, exclusiveMinimum, maximum, multipleOf }: Schema, isWhole: boolean): number {
  const above = typeof exclusiveMinimum === "number" ? exclusiveMinimum + (isWhole ? 1 : 1e-3) : undefined;
  const from = Number(above ?? minimum ?? (typeof maximum === "number" ? Math.min(0, maximum) : 0));
  const step = typeof multipleOf === "number" ? multipleOf : isWhole ? 1 : undefined;
  return step === undefined ? from : Math.ceil(from / step) * step;
}

function mergedOf(parts: readonly unknown[]): Schema {
  const all = parts.map((part) => Object(part) as Schema);
  const required = all.flatMap((part) => (part["required"] ?? []) as readonly string[]);
  const properties = Object.assign({}, ...all.map((part) => part["properties"])) as Schema;
  const merged = Object.assign({}, ...all) as Schema;
  return required.length > 0 || Object.keys(properties).length > 0
    ? { ...merged, required: [...new Set(required)], properties }
    : merged;
}

/** `#/$defs/x` in the schema itself. */
function partAt(root: Schema, at: string): unknown {
  const words = at.replace(/^#\/?/, "").split("/").filter(Boolean);
  return words.reduce<unknown>((value, word) => (Object(value) as Schema)[word], root);
}
