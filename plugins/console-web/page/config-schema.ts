/** The parts of a JSON Schema that a form is made of. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
}

export interface Leaf {
  readonly key: string;
  readonly schema: Schema;
}

/** The way in which a key is edited; `none`: in the file alone. */
export type Kind = "switch" | "choice" | "number" | "text" | "lines" | "secret" | "none";

/** The text that the service shows in place of a secret. */
export const hidden = "********";

export function leavesOf({ properties = {} }: Schema, above: string = ""): readonly Leaf[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const key = above === "" ? name : `${above}.${name}`;
    return schema.properties ? leavesOf(schema, key) : [{ key, schema }];
  });
}

export function choicesOf({ enum: all, anyOf = [] }: Schema): readonly string[] | undefined {
  const found = all ?? (anyOf.length > 0 ? anyOf.map((one) => one.const) : undefined);
  return found?.every((one) => typeof one === "string") ? (found as string[]) : undefined;
}

const secret = /(?:(?:^|[_-])(?:key|token|secret|passphrase|passwd|authorization|cookie)|apikey|password)s?$/;

export function kindOf({ key, schema }: Leaf, value: unknown): Kind {
  if (value === hidden || secret.test(key.split(".").at(-1) ?? "")) return "secret";
  if (schema.type === "boolean") return "switch";
  if (choicesOf(schema)) return "choice";
  if (schema.type === "integer" || schema.type === "number") return "number";
  if (schema.type === "string") return "text";
  return schema.type === "array" && schema.items?.type === "string" ? "lines" : "none";
}

export function shown(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value.join("\n");
  return typeof value === "string" ? value : JSON.stringify(value);
}
