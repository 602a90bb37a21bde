/**
 * The protocol's own schema, as the official library carries it: who may send what, and samples of
 * it.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { AgentProcess } from "./agent-process.test-kit.ts";

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

type Whole = Schema & { $defs: Record<string, Schema> };

/** The schema of one version. */
export interface Protocol {
  /** Returns what each side may be sent, by method and kind: the name of its definition. */
  methodsOf(side: "agent" | "client", kind: RegExp): ReadonlyMap<string, string>;
  /** Returns what is wrong with a value by a definition; an empty list if nothing is. */
  wrongBy(name: string, value: unknown): readonly string[];
  /**
   * Returns samples of a definition: with nothing but what is required, with everything, and with
   * each way of each choice.
   */
  samplesOf(name: string): readonly unknown[];
}

export function schemaOf(version: "v1" | "v2"): Protocol {
  const required = createRequire(import.meta.url);
  const file = required.resolve(`@agentclientprotocol/sdk/schema/${version}/schema.json`);
  const whole = JSON.parse(readFileSync(file, "utf8")) as Whole;
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(whole, "acp");
  return {
    methodsOf(side, kind) {
      const named = Object.entries(whole.$defs).filter(([name]) => kind.test(name));
      return new Map(
        named.flatMap(([name, one]) => (one["x-side"] === side ? [[String(one["x-method"]), name]] : [])),
      );
    },
    wrongBy(name, value) {
      const check = ajv.compile({ $ref: `acp#/$defs/${name}` });
      const found = check(value) ? [] : (check.errors ?? []);
      return found.map((one) => `${name}${one.instancePath} ${one.message}`);
    },
    samplesOf: (name) => samples(whole, { $ref: `#/$defs/${name}` }, 0),
  };
}

const mostSamples = 24;

function samples(whole: Whole, schema: Schema, depth: number): readonly unknown[] {
  if (depth > 8) return [null];
  if (schema.const !== undefined) return [schema.const];
  if (schema.enum) return schema.enum;
  const own = schema.properties ? objects(whole, schema, depth) : undefined;
  const ways = (schema.oneOf ?? schema.anyOf)?.flatMap((one) => samples(whole, one, depth + 1));
  const all = schema.allOf?.map((one) => samples(whole, one, depth + 1)) ?? [];
  const referred = schema.$ref
    ? samples(whole, whole.$defs[schema.$ref.slice(8)] ?? {}, depth + 1)
    : undefined;
  const lists = [own, ways, referred, ...all].filter((list) => list !== undefined);
  if (lists.length > 0) return lists.reduce(merged).slice(0, mostSamples);
  return plain(whole, schema, depth);
}

function merged(some: readonly unknown[], others: readonly unknown[]): readonly unknown[] {
  const length = Math.max(some.length, others.length);
  return Array.from({ length }, (_, i) => both(some[i % some.length], others[i % others.length]));
}

function both(one: unknown, other: unknown): unknown {
  const areObjects = [one, other].every((value) => typeof value === "object" && value !== null);
  return areObjects ? Object.assign({}, one, other) : other;
}

function objects(
  whole: Whole,
  { properties = {}, required = [] }: Schema,
  depth: number,
): readonly unknown[] {
  const known = Object.entries(properties).map(
    ([key, one]) => [key, samples(whole, one, depth + 1)] as const,
  );
  const needed = known.filter(([key]) => required.includes(key));
  const most = Math.max(1, ...known.map(([, values]) => values.length));
  const pick = (of: typeof known, i: number): object =>
    Object.fromEntries(of.map(([key, values]) => [key, values[i % values.length]]));
  return [pick(needed, 0), ...Array.from({ length: most }, (_, i) => pick(known, i))];
}

function plain(whole: Whole, { type, items, default: given }: Schema, depth: number): readonly unknown[] {
  const kinds = Array.isArray(type) ? type : [type];
  return kinds.flatMap((kind): readonly unknown[] => {
    if (kind === "string") return ["text"];
    if (kind === "integer" || kind === "number") return [1];
    if (kind === "boolean") return [true, false];
    if (kind === "array") return [[], ...samples(whole, items ?? {}, depth + 1).map((one) => [one])];
    if (kind === "object") return [{}];
    return [given ?? null];
  });
}

type Frame = Readonly<Record<string, any>>;

/** Returns the messages that stand in a text, but for one that has no end yet. */
export function framesOf(text: string): readonly Frame[] {
  const lines = text.split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Frame);
}

/** Returns everything that Gantry wrote and that is not as the schema has it. */
export function wrongFrames(
  { methodsOf, wrongBy }: Protocol,
  agent: Pick<AgentProcess, "sent" | "out">,
): readonly string[] {
  const sent = framesOf(agent.sent()).filter(({ method }) => method !== undefined);
  const asked = new Map(sent.map(({ id, method }) => [id, String(method)]));
  const responses = methodsOf("agent", /Response$/);
  const notes = methodsOf("client", /Notification$/);
  const toClient = methodsOf("client", /Request$/);
  return framesOf(agent.out()).flatMap(({ id, method, params, result, error }) => {
    if (error) return wrongBy("Error", error);
    if (method === "$/cancel_request") return wrongBy("CancelRequestNotification", params);
    if (method)
      return wrongBy((id === undefined ? notes : toClient).get(method) ?? `no method ${method}`, params);
    return wrongBy(responses.get(asked.get(id) ?? "") ?? `no request ${id}`, result);
  });
}

/** Returns a sample that names a session and a folder that are there. */
export function fitted(sample: unknown, sessionId: string, cwd: string): object {
  const named = { ...(sample as object) } as Record<string, unknown>;
  if ("sessionId" in named) named["sessionId"] = sessionId;
  if ("cwd" in named && named["cwd"] !== null) named["cwd"] = cwd;
  if ("additionalDirectories" in named) named["additionalDirectories"] = [];
  if ("configId" in named) Object.assign(named, { configId: "mode", value: "supervised" });
  if ("modeId" in named) named["modeId"] = "supervised";
  return named;
}

/** Values that fit nowhere, or only just. */
export const odd: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  "",
  "\u0000\u202e",
  [],
  {},
  [[[]]],
  { a: { b: null } },
];
