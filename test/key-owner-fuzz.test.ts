import * as fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { fallbacks, serveKeys, startKeyed, stubKeys, type KeyServer } from "./helpers/key-servers.ts";

const RUNS = process.env["GANTRY_LONG"] ? 300 : 25;
const anyAddress = ["SERVICE_API_KEY", "API_KEY"];
const variables = [...anyAddress, "GENLANG_API_KEY", "HOSTEDLLM_API_KEY", "LOCALA_API_KEY"];

afterEach(() => vi.unstubAllEnvs());

/** A provider with a server of its own. */
interface Known {
  readonly server: KeyServer;
  /** The word before its address, if it has one. */
  readonly kind?: string;
  /** Every way to write it. */
  readonly ids: readonly string[];
  /** Variables that its key may come from, the first before the second. */
  readonly env: readonly string[];
}

async function startKnown(): Promise<{ readonly known: readonly Known[]; readonly config: object }> {
  const [a, b, c] = [await serveKeys(401), await serveKeys(401), await serveKeys(401)];
  const [g, h, l] = [await serveKeys(401), await serveKeys(401), await serveKeys(401)];
  const known = [
    { server: a, kind: "custom", ids: [a.custom, `${a.custom}/`], env: anyAddress },
    { server: b, kind: "custom", ids: [b.custom, `${b.custom}?version=1`], env: anyAddress },
    { server: c, kind: "messages-custom", ids: [c.messages, `${c.messages}/`], env: anyAddress },
    { server: g, ids: ["genlang", "gemini", "google"], env: ["GENLANG_API_KEY"] },
    { server: h, ids: ["hostedllm", "hosted"], env: ["HOSTEDLLM_API_KEY"] },
    { server: l, ids: ["local-a", "local-a-server"], env: ["LOCALA_API_KEY"] },
  ];
  const endpoints = { genlang_url: `${g.origin}/v1beta`, hosted_url: h.origin };
  return { known, config: { api_url: `${l.origin}/v1`, endpoints } };
}

const sometimes = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });

/** Configurations with keys in several places, each key named for where it stands. */
function worlds(known: readonly Known[]) {
  const id = fc.constantFrom(...known.flatMap(({ ids }) => ids));
  return fc.record({
    byDefault: sometimes(id),
    byAgent: sometimes(id),
    others: fc.uniqueArray(id, { maxLength: 4 }),
    top: fc.boolean(),
    kinds: fc.subarray(["custom", "messages-custom"]),
    tables: fc.tuple(...known.map(({ ids }) => sometimes(fc.constantFrom(...ids)))),
    env: fc.subarray(variables),
  });
}
type World = ReturnType<typeof worlds> extends fc.Arbitrary<infer T> ? T : never;

function configOf({ byDefault, byAgent, others, top, kinds, tables }: World): object {
  const keyed = [...kinds, ...tables.filter((id) => id !== undefined)];
  return {
    ...fallbacks(...others),
    ...(top && { api_key: "TOP" }),
    ...(byDefault && { default_provider: byDefault }),
    ...(byAgent && { agent: { provider: byAgent } }),
    providers: Object.fromEntries(keyed.map((id) => [id, { api_key: `TABLE ${id}` }])),
  };
}

/** Returns the one key that was written for a provider. */
function rightKey(world: World, i: number, { kind, ids, env }: Known): string | null {
  if (world.tables[i]) return `TABLE ${world.tables[i]}`;
  if (world.byDefault && ids.includes(world.byDefault)) {
    if (kind && world.kinds.includes(kind)) return `TABLE ${kind}`;
    if (world.top) return "TOP";
  }
  return env.find((name) => world.env.includes(name)) ?? null;
}

test("FLR-22: in any configuration each server receives only the key written for it", async () => {
  const { known, config } = await startKnown();
  const property = fc.asyncProperty(worlds(known), async (world) => {
    stubKeys(...world.env);
    for (const { server } of known) server.asked.length = 0;
    await using t = await startKeyed({ ...config, ...configOf(world) });
    await t.ask("hi");
    for (const provider of known.flatMap(({ ids }) => ids)) {
      await t.ask("hi", { provider });
      const found = await t.resolveProvider({ provider, model: undefined });
      await found.models?.(AbortSignal.timeout(60_000)).catch(() => {});
    }
    for (const [i, one] of known.entries()) {
      const right = rightKey(world, i, one);
      const keys = new Set(one.server.keys());
      // The hosted ones are not asked at all without a key.
      if (right === null && keys.size === 0) continue;
      expect([one.ids[0], [...keys]]).toEqual([one.ids[0], [right]]);
    }
  });
  try {
    await fc.assert(property, { numRuns: RUNS });
  } finally {
    await Promise.all(known.map(({ server }) => server[Symbol.asyncDispose]()));
  }
});
