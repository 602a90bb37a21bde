/**
 * The protocol's own schema, as the official library carries it: who may send what, and samples of
 * it.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv2020 } from "ajv/dist/2020.js";

export interface Schema {
  readonly [keyword: string]: unknown;
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

const file = createRequire(import.meta.url).resolve("@agentclientprotocol/sdk/schema/v1/schema.json");
const whole = JSON.parse(readFileSync(file, "utf8")) as Schema & { $defs: Record<string, Schema> };
const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(whole, "acp");

/** Returns what each side may be sent, by method and kind: the name of its definition. */
export function methodsOf(side: "agent" | "client", kind: RegExp): ReadonlyMap<string, string> {
  const named = Object.entries(whole.$defs).filter(([name]) => kind.test(name));
  return new Map(
    named.flatMap(([name, one]) => (one["x-side"] === side ? [[String(one["x-method"]), name]] : [])),
  );
}

/** Returns what is wrong with a value by a definition; an empty list if nothing is. */
export function wrongBy(name: string, value: unknown): readonly string[] {
  const check = ajv.compile({ $ref: `acp#/$defs/${name}` });
  return check(value) ? [] : (check.errors ?? []).map((one) => `${name}${one.instancePath} ${one.message}`);
}

/**
 * Samples of a definition: with nothing but what is required, with everything, and with each way of
 * each choice.
 */
export function samplesOf(name: string): readonly unknown[] {
  return samples({ $ref: `#/$defs/${name}` }, 0);
}

const mostSamples = 24;

function samples(schema: Schema, depth: number): readonly unknown[] {
  if (depth > 8) return [null];
  if (schema.const !== undefined) return [schema.const];
  if (schema.enum) return schema.enum;
  const own = schema.properties ? objects(schema, depth) : undefined;
  const ways = (schema.oneOf ?? schema.anyOf)?.flatMap((one) => samples(one, depth + 1));
  const all = schema.allOf?.map((one) => samples(one, depth + 1)) ?? [];
  const referred = schema.$ref ? samples(whole.$defs[schema.$ref.slice(8)] ?? {}, depth + 1) : undefined;
  const lists = [own, ways, referred, ...all].filter((list) => list !== undefined);
  if (lists.length > 0) return lists.reduce(merged).slice(0, mostSamples);
  return plain(schema, depth);
}

function merged(some: readonly unknown[], others: readonly unknown[]): readonly unknown[] {
  const length = Math.max(some.length, others.length);
  return Array.from({ length }, (_, i) => both(some[i % some.length], others[i % others.length]));
}

function both(one: unknown, other: unknown): unknown {
  const areObjects = [one, other].every((value) => typeof value === "object" && value !== null);
  return areObjects ? Object.assign({}, one, other) : other;
}

function objects({ properties = {}, required = [] }: Schema, depth: number): readonly unknown[] {
  const known = Object.entries(properties).map(([key, one]) => [key, samples(one, depth + 1)] as const);
  const needed = known.filter(([key]) => required.includes(key));
  const most = Math.max(1, ...known.map(([, values]) => values.length));
  const pick = (of: typeof known, i: number): object =>
    Object.fromEntries(of.map(([key, values]) => [key, values[i % values.length]]));
  return [pick(needed, 0), ...Array.from({ length: most }, (_, i) => pick(known, i))];
}

function plain({ type, items, default: given }: Schema, depth: number): readonly unknown[] {
  const kinds = Array.isArray(type) ? type : [type];
  return kinds.flatMap((kind): readonly unknown[] => {
    if (kind === "string") return ["text"];
    if (kind === "integer" || kind === "number") return [1];
    if (kind === "boolean") return [true, false];
    if (kind === "array") return [[], ...samples(items ?? {}, depth + 1).map((one) => [one])];
    if (kind === "object") return [{}];
    return [given ?? null];
  });
}
