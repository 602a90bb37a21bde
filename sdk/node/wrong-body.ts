import type { TSchema } from "typebox";
import type { Value } from "typebox/value";
import { allowedValues } from "./allowed-values.ts";

type Issue = ReturnType<typeof Value.Errors>[number];

/**
 * What is wrong with a route's body, for a person, from what its schema finds; undefined where it fits. A key that the schema
 * does not know would do nothing, so it is named too, unless the schema says `additionalProperties`.
 */
export function wrongBody(schema: TSchema, body: unknown, issues: readonly Issue[]): string | undefined {
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
