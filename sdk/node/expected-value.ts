import type { TSchema } from "typebox";
import type { Value } from "typebox/value";

/** The fault that a schema finds in a value. */
export type SchemaIssue = ReturnType<typeof Value.Errors>[number];
type Facts = Readonly<Record<string, unknown>>;

/**
 * Says what was expected of one value, as in "must be a list", from what is wrong with it. A schema
 * adds its own examples: a pattern says little to a person, and "array" less than how one is
 * written.
 */
export function expectedValue(issues: readonly SchemaIssue[], schema?: TSchema): string {
  const [issue] = issues;
  const allowed = allowedValues(issues);
  if (allowed !== undefined) return `must be ${allowed}`;
  if (!issue) return "is wrong";
  const isList = issue.message === "must be array";
  if (!schema || (issue.keyword !== "pattern" && !isList)) return issue.message;
  const at = schemaAt(schema, issue.schemaPath);
  const example = exampleIn(at);
  if (isList) {
    const item = exampleIn(at?.["items"]);
    const items = example ?? (item === undefined ? ["one", "two"] : [item]);
    return `must be a list, as in ${JSON.stringify(items)}`;
  }
  return example === undefined ? issue.message : `must be written as in ${JSON.stringify(example)}`;
}

/** Returns the values that a schema leaves open, as a person reads them, if it is a choice. */
function allowedValues(issues: readonly SchemaIssue[]): string | undefined {
  const choices = issues.filter(
    ({ schemaPath, keyword }) => keyword === "const" || /\/anyOf\/\d+$/.test(schemaPath),
  );
  const words = choices.map((issue) =>
    issue.keyword === "const"
      ? `\`${String(issue.params.allowedValue)}\``
      : issue.message.replace(/^must be /, ""),
  );
  return words.length > 0 ? words.join(" or ") : undefined;
}

function exampleIn(schema: unknown): unknown {
  return ((schema as Facts | undefined)?.["examples"] as readonly unknown[] | undefined)?.[0];
}

/** Returns the schema to which a JSON pointer such as `#/properties/host` leads. */
function schemaAt(schema: TSchema, pointer: string): Facts | undefined {
  const parts = pointer.split("/").slice(1);
  const names = parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return names.reduce<unknown>((at, name) => (at as Facts | undefined)?.[name], schema) as Facts | undefined;
}
