import type { Value } from "typebox/value";

type Issue = ReturnType<typeof Value.Errors>[number];

/** The values that a schema leaves open, as a person reads them, from what is wrong with one; undefined where it is no choice. */
export function allowedValues(issues: readonly Issue[]): string | undefined {
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
