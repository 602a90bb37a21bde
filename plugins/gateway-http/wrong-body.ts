import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import { allowedValues } from "@gantry/sdk/node";

/** What is wrong with a body, for a person; undefined where it fits. A key that its schema does not know would do nothing. */
export function wrongIn(schema: TSchema, body: unknown): string | undefined {
  const issues = Value.Check(schema, body) ? [] : Value.Errors(schema, body);
  const [first] = issues;
  if (!first) return unknownKeys(schema, body);
  if (first.keyword === "required") return `it misses ${named(first.params.requiredProperties)}`;
  const at = first.instancePath.slice(1).replaceAll("/", ".");
  const allowed = allowedValues(issues.filter(({ instancePath }) => instancePath === first.instancePath));
  return `${at === "" ? "it" : `\`${at}\``} ${allowed === undefined ? first.message : `must be ${allowed}`}`;
}

function unknownKeys(schema: TSchema, body: unknown): string | undefined {
  const { properties, additionalProperties } = schema as {
    readonly properties?: object;
    readonly additionalProperties?: unknown;
  };
  if (!properties || additionalProperties !== undefined) return undefined;
  const unknown = Object.keys(body as object).filter((key) => !Object.hasOwn(properties, key));
  if (unknown.length === 0) return undefined;
  return `it knows no ${named(unknown)}, only ${named(Object.keys(properties))}`;
}

function named(keys: readonly string[]): string {
  return keys.map((key) => `\`${key.slice(0, 64)}\``).join(", ");
}
