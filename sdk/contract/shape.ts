import { isScope, scopes } from "../security/scope.ts";

type Shape = (value: unknown) => string | undefined;

const memberOf = (value: unknown, name: string): unknown => (Object(value) as Record<string, unknown>)[name];

/**
 * Says which of these functions a value lacks, for plain JavaScript without types: `has no fit()`.
 */
export function having(...names: readonly string[]): Shape {
  return (value) => {
    const missing = names.find((name) => typeof memberOf(value, name) !== "function");
    return missing && `has no ${missing}()`;
  };
}

/** Says which of these members is given and no function. */
export function mayHave(...names: readonly string[]): Shape {
  return (value) => {
    const wrong = names.find((name) => !["undefined", "function"].includes(typeof memberOf(value, name)));
    return wrong && `gives as ${wrong} what is no function`;
  };
}

/** Says that the scope which a value states by `may` is none. */
export function hasScope(value: unknown): string | undefined {
  if (isScope(memberOf(value, "may") ?? "talk")) return undefined;
  return `states by \`may\` what is no scope: the scopes are ${scopes.join(", ")}`;
}

/** Returns a shape that tells the first thing that is wrong. */
export function all(...shapes: readonly Shape[]): Shape {
  return (value) => shapes.reduce<string | undefined>((found, shape) => found ?? shape(value), undefined);
}
