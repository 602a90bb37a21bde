import type { TSchema } from "typebox";
import { expectedValue, type SchemaIssue } from "./expected-value.ts";

/** Returns the fault of a value, for a person or a model, by its schema; undefined if it fits. */
export function wrongValue(issues: readonly SchemaIssue[]): string | undefined {
  const [first] = issues;
  if (!first) return undefined;
  const closed = issues.find(({ keyword }) => keyword === "additionalProperties");
  // For a key that is not taken, the key itself is told first.
  const issue = first.keyword === "boolean" ? (closed ?? first) : first;
  const at = issue.instancePath.slice(1).replaceAll("/", ".");
  const subject = at === "" ? "it" : `\`${at}\``;
  if (issue.keyword === "required") return `${subject} misses ${named(issue.params.requiredProperties)}`;
  if (issue.keyword === "additionalProperties")
    return `${subject} knows no ${named(issue.params.additionalProperties)}`;
  const there = issues.filter(({ instancePath }) => instancePath === issue.instancePath);
  return `${subject} ${expectedValue(there)}`;
}

/**
 * Does the work of {@link wrongValue} for a route's body. A key that the schema does not know would
 * do nothing, so it is named too, unless the schema says `additionalProperties`.
 */
export function wrongBody(
  schema: TSchema,
  body: unknown,
  issues: readonly SchemaIssue[],
): string | undefined {
  return wrongValue(issues) ?? unknownKeys(schema, body);
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
