import { Type } from "typebox";
import type { Static } from "typebox";
import { errors } from "../contract/codes.ts";
import { shownAddress } from "../models/shown-address.ts";

/**
 * The top-level `api_key`. A provider that reads it declares this very schema and
 * `providerKeys.default_provider`, and asks `configuredKey()` whether the key is its own.
 */
export const ApiKey = Type.Optional(
  Type.String({
    minLength: 1,
    description: "Credential for the provider that default_provider names, and for no other.",
  }),
);

const DEFAULTS = Object.freeze({
  max_retries: 2,
  retry_backoff_ms: 500,
  timeout_seconds: 120,
  send_temperature: true,
});

const settings = {
  max_retries: Type.Integer({
    default: DEFAULTS.max_retries,
    minimum: 0,
    maximum: 10,
    description: "Further tries after a failure that may pass.",
  }),
  retry_backoff_ms: Type.Integer({
    default: DEFAULTS.retry_backoff_ms,
    minimum: 1,
    maximum: 60_000,
    description: "Milliseconds before the first further try; doubles, with jitter; `Retry-After` wins.",
  }),
  timeout_seconds: Type.Integer({
    default: DEFAULTS.timeout_seconds,
    minimum: 1,
    maximum: 3_600,
    description: "Seconds to wait for an answer to begin, and between two pieces of it.",
  }),
  model: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "What this provider is asked for when it serves as a fallback, and where no model is configured.",
    }),
  ),
  max_output_tokens: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        "Tokens that one answer may have; left out: 8192. A provider whose bound is fixed says so.",
    }),
  ),
  tools: Type.Optional(
    Type.Union([Type.Literal("native"), Type.Literal("text"), Type.Literal("none")], {
      description:
        "How the model is offered tools: by its own format, as text in the prompt, or not at all; left out: native where the provider can, else text.",
    }),
  ),
  effort: Type.Optional(
    Type.Union([Type.Literal("minimal"), Type.Literal("low"), Type.Literal("medium"), Type.Literal("high")], {
      description: "How much the model thinks before it answers; left out: its own default.",
    }),
  ),
  send_temperature: Type.Boolean({
    default: DEFAULTS.send_temperature,
    description: "False leaves the temperature out of requests, for models that take none.",
  }),
};

/** `[providers.<id>]`: shared by all providers and the router, so that the leaves are the same. */
export const ProviderTable = Type.Record(
  Type.String(),
  Type.Object(
    {
      api_key: Type.Optional(
        Type.String({
          minLength: 1,
          description:
            "Credential for this provider alone; wins over the top-level api_key. Under the name of a kind, " +
            "such as `custom`: for the address of that kind that default_provider names.",
        }),
      ),
      ...settings,
      context_window: Type.Optional(
        Type.Integer({
          minimum: 256,
          description:
            "How many tokens the model takes; left out: what the server says, else what is known of the model.",
        }),
      ),
    },
    // Without a default of its own, an entry of a record does not get those of its keys.
    { default: {} },
  ),
);
export type ProviderTable = Readonly<Static<typeof ProviderTable>>;
export type ProviderSettings = ProviderTable[string];

/** Returns the first entry there is among `ids` (an id and its aliases), or the defaults. */
export function providerSettings(table: ProviderTable, ...ids: readonly string[]): ProviderSettings {
  return tableOf(table, ids) ?? DEFAULTS;
}

/** Returns the first entry among `ids`: as the id is written, or as {@link comparableId} has it. */
export function tableOf(table: ProviderTable, ids: readonly string[]): ProviderSettings | undefined {
  for (const id of ids) {
    if (Object.hasOwn(table, id)) return table[id];
    // Each turn asks, and only names with addresses are worth their reading.
    const addresses = id.includes("://") ? Object.keys(table).filter((name) => name.includes("://")) : [];
    const alike = addresses.find((name) => comparableId(name) === comparableId(id));
    if (alike !== undefined) return table[alike];
  }
  return undefined;
}

/** Returns an id as ids are compared: without user, query and trailing slash, so safe to print. */
export function comparableId(id: string): string {
  const [, kind, address = ""] = /^([^:]+):(https?:\/\/.*)$/is.exec(id) ?? [];
  if (kind === undefined) return id;
  try {
    return `${kind}:${providerAddress(address).shown}`;
  } catch {
    return shownAddress(id);
  }
}

const SHORTEST_SECRET = 8;

/** A server that a provider talks to. */
export interface ProviderAddress {
  /** Without user, query and trailing slash: safe to print. */
  readonly shown: string;
  /**
   * The parts of it that must never stand in a sentence: its password and the values of its query,
   * but not such short ones as a version.
   */
  readonly secrets: readonly string[];
  /** Returns the address of a path below it; user and query of the configured address are kept. */
  at(path: string): string;
}

/** Reads a configured address; throws `PROVIDER_URL` for anything but a whole http(s) URL. */
export function providerAddress(text: string): ProviderAddress {
  const url = /^https?:\/\/[^/]/i.test(text) ? URL.parse(text) : null;
  if (!url) throw errors.PROVIDER_URL(shownAddress(text));
  const path = url.pathname.replace(/\/+$/, "");
  const user = url.username || url.password ? `${url.username}:${url.password}@` : "";
  return Object.freeze({
    shown: `${url.origin}${path}`,
    secrets: [url.password, ...url.searchParams.values()].filter((value) => value.length >= SHORTEST_SECRET),
    at: (below: string) => `${url.protocol}//${user}${url.host}${path}${below}${url.search}`,
  });
}
