type Tree = Readonly<Record<string, unknown>>;

const KEY = "x-mcp-header";

/**
 * Says what is wrong with the headers that an input schema declares, by the rules of the revision
 * 2026-07-28: each once, a token, on a plain property that properties alone lead to. A tool with
 * others must not be offered.
 */
export function wrongHeader(schema: Tree): string | undefined {
  const declared = new Set<string>();
  const isRight = (name: unknown, { type }: Tree): boolean => {
    if (typeof name !== "string" || !/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) return false;
    const isFirst = !declared.has(name.toLowerCase());
    declared.add(name.toLowerCase());
    return isFirst && ["string", "integer", "boolean"].includes(String(type));
  };
  const look = (value: unknown, isReached: boolean): boolean => {
    if (Array.isArray(value)) return value.every((item) => look(item, false));
    if (!isTree(value)) return true;
    const name = value[KEY];
    if (name !== undefined && !(isReached && value !== schema && isRight(name, value))) return false;
    return Object.entries(value).every(([key, item]) => {
      if (key !== "properties" || !isTree(item)) return look(item, false);
      return Object.values(item).every((property) => look(property, isReached));
    });
  };
  return look(schema, true) ? undefined : "it declares a header that may not be sent";
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
